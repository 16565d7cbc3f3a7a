"""`chexbert_f1`: agreement of two reports on 14 conditions, and similarity of their CheXbert vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.findings.types import ParsedReport
from radeval_core.findings.views.chexbert import chexbert_labels
from radeval_core.findings.views.chexpert import chexpert_labels, observation_names
from radeval_core.functional.chexbert import (
    BLANK,
    CLASSES,
    NEGATIVE,
    POSITIVE,
    UNCERTAIN,
    ReportLabels,
    cosine,
    is_positive,
    label_vector,
    pair_statistics,
    summarise,
)
from radeval_core.functional.label_f1 import f1
from radeval_core.metrics._annotated import AnnotatedScorer
from radeval_core.metrics.base import DTYPE, Array, Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank

if TYPE_CHECKING:
    from radeval_core.annotators.chexbert import Chexbert
    from radeval_core.annotators.findings import ReportView

_CLASS = {1: POSITIVE, 0: NEGATIVE, -1: UNCERTAIN, None: BLANK}

SPEC = MetricSpec(
    name="chexbert_f1",
    measures="14 chest conditions (micro F1), and similarity of report vectors",
    version=6,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "an empty report has no label, and agrees only with another empty one"),
    multi_reference=False,
    corpus_headline=True,
    two_pass=False,
    parts={"similarity": Part(True, "cosine of the report vectors")},
    configs=(
        Config("embedded", "labels from our findings parser, no model"),
        Config("chexbert", "the published CheXbert", "StanfordAIMI/RRG_scorers", "models"),
    ),
    takes_checkpoint=True,
    backends=(),
    citation="""@inproceedings{smit2020chexbert,
  title={CheXbert: Combining Automatic Labelers and Expert Annotations for Accurate Radiology Report Labeling Using
    BERT},
  author={Smit, Akshay and Jain, Saahil and Rajpurkar, Pranav and Pareek, Anuj and Ng, Andrew Y. and
    Lungren, Matthew P.},
  booktitle={EMNLP}, year={2020}
}""",
    urls=("https://arxiv.org/abs/2004.09167", "https://arxiv.org/abs/2308.04332"),
)


class ChexbertScorer(AnnotatedScorer):
    """Labels each distinct report once, then compares the pairs."""

    spec = SPEC
    options: ClassVar = {
        "uncertain": Option("positive", str, "what an uncertain condition counts as", ("positive", "negative")),
        "labels": Option(
            "chexbert",
            str,
            "whose habits the embedded labels follow: the published CheXbert's, or those of human coders of findings",
            ("chexbert", "human"),
        ),
        "dtype": DTYPE,
    }

    corpus_numbers = (
        *("macro_f1", "weighted_f1", "samples_f1", "accuracy"),
        *("micro_f1_5", "macro_f1_5", "weighted_f1_5", "samples_f1_5", "accuracy_5"),
    )

    def prepare(self) -> None:
        self.names = tuple(name.lower().replace(" ", "_") for name in observation_names())

    @property
    def annotator(self) -> Chexbert | ReportView[ReportLabels]:
        r = self.resources
        if not self.source:
            like = self.chosen["labels"]
            return r.view(f"labels-{like}", partial(read_labels, like=like), lambda labels: int(labels.vector.nbytes))
        with self.needs_models():
            from radeval_core.annotators.chexbert import chexbert
        return chexbert(self.source, r.device, self.chosen["dtype"], r.batch_tokens, r.progress)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        found: dict[str, ReportLabels] = self.annotations(pairs)
        readings = [(found[pair.prediction], found[pair.reference]) for pair in pairs]
        as_positive = self.chosen["uncertain"] == "positive"
        prediction, reference = (
            is_positive(np.array([both[side].classes for both in readings]), as_positive) for side in (0, 1)
        )
        hits, extra, missed = (
            counts.sum(axis=1).astype(np.float64)
            for counts in (prediction & reference, prediction & ~reference, ~prediction & reference)
        )
        similarity = np.array([cosine(one.vector, other.vector) for one, other in readings])
        values = {"chexbert_f1": f1(hits, extra, missed, none=1.0), "similarity": similarity}
        if not self.source:  # an empty report has no labels, but it does not agree with an abnormal one that has none
            one_empty = np.array([is_blank(pair.prediction) != is_blank(pair.reference) for pair in pairs])
            for value in values.values():
                value[one_empty] = 0.0
        stats = np.column_stack([pair_statistics(prediction, reference), similarity])
        return PairScores(values, stats, [_detail(*both) for both in readings] if detailed else None)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        numbers = summarise(sums[..., :-1], n, self.names)
        return {"chexbert_f1": numbers.pop("micro_f1"), "similarity": sums[..., -1] / n, **numbers}

    def signature_fields(self) -> dict[str, object]:
        labels = {} if self.source else {"labels": self.chosen["labels"]}
        return {"uncertain": self.chosen["uncertain"], **labels, **self.annotator.fields}


def read_labels(report: ParsedReport, like: str = "chexbert") -> ReportLabels:
    """Return the labels of a parsed report and the vector they make. An empty report has none.

    Args:
        report: the parsed report.
        like: whose habits the labels follow: `chexbert` or `human`.
    """
    if is_blank(report.text):
        classes = np.zeros(len(observation_names()), dtype=np.int8)
    else:
        labels = chexbert_labels(report) if like == "chexbert" else chexpert_labels(report, named_only=True)
        classes = np.array([_CLASS[label] for label in labels.values()], dtype=np.int8)
    return ReportLabels(classes, label_vector(classes))


def _detail(prediction: ReportLabels, reference: ReportLabels) -> dict[str, Any]:
    """Return what each report says of each condition."""
    sides = {"prediction": prediction, "reference": reference}
    return {
        side: {
            "labels": {name: CLASSES[c] for name, c in zip(observation_names(), reading.classes, strict=True)},
            "truncated": reading.truncated,
        }
        for side, reading in sides.items()
    }


SCORER = ChexbertScorer
