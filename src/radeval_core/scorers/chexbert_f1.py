"""`chexbert_f1`: do two reports name the same of 14 conditions, and how near are their CheXbert vectors?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.errors import InputError, needs_extra
from radeval_core.findings import parse
from radeval_core.findings.lexicon_files import fingerprint
from radeval_core.findings.views.chexpert import chexpert_labels, observation_names
from radeval_core.pairs import Pair, is_blank
from radeval_core.scorer import Array, Option, PairScores, Scorer
from radeval_core.scores.chexbert import (
    BLANK,
    CLASSES,
    NEGATIVE,
    POSITIVE,
    UNCERTAIN,
    Reading,
    cosine,
    f1,
    is_positive,
    label_vector,
    pair_statistics,
    summarise,
)
from radeval_core.spec import Config, EmptyRule, MetricSpec

if TYPE_CHECKING:
    from radeval_core.annotators.chexbert import Chexbert

_CLASS = {1: POSITIVE, 0: NEGATIVE, -1: UNCERTAIN, None: BLANK}

SPEC = MetricSpec(
    name="chexbert_f1",
    measures="14 chest conditions (micro F1), and similarity of report vectors",
    version=2,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "an empty report has no label, and agrees only with another without labels"),
    multi_reference=False,
    corpus_headline=True,
    two_pass=False,
    parts=("similarity",),
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


class ChexbertScorer(Scorer):
    """Labels and vector of each distinct report once, then agreement of each pair."""

    spec = SPEC
    options: ClassVar = {"uncertain": Option("positive", str), "dtype": Option("fp32", str)}

    def prepare(self) -> None:
        uncertain = self.chosen["uncertain"]
        if uncertain not in ("positive", "negative"):
            raise InputError(f"option chexbert_f1.uncertain must be 'positive' or 'negative', got {uncertain!r}")
        self.names = tuple(name.lower().replace(" ", "_") for name in observation_names())

    @property
    def source(self) -> str:
        """Hub id or folder; empty for the embedded labels."""
        return self.checkpoint or self.config.checkpoint

    @property
    def annotator(self) -> Chexbert:
        try:
            from radeval_core.annotators.chexbert import chexbert
        except ImportError as error:
            raise needs_extra("models", f"config {self.config.name!r} of chexbert_f1") from error
        r = self.resources
        return chexbert(self.source, r.device, self.chosen["dtype"], r.batch_tokens, r.progress)

    def warm_up(self) -> None:
        if self.source:
            _ = self.annotator

    def readings(self, pairs: Sequence[Pair]) -> list[tuple[Reading, Reading]]:
        """Labels and vectors of the prediction and the reference of each pair."""
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.prediction, pair.reference)))
        if self.source:
            found: dict[str, Reading] = self.resources.store.annotate(self.annotator, texts)
        else:
            found = {text: read_embedded(text) for text in texts}
        return [(found[pair.prediction], found[pair.reference]) for pair in pairs]

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        readings = self.readings(pairs)
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
        stats = np.column_stack([pair_statistics(prediction, reference), similarity])
        return PairScores(values, stats, [_detail(*both) for both in readings] if detailed else None)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        numbers = summarise(sums[..., :-1], n, self.names)
        return {"chexbert_f1": numbers.pop("micro_f1"), "similarity": sums[..., -1] / n, **numbers}

    def signature_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"uncertain": self.chosen["uncertain"]}
        if self.source:
            return {**fields, "model": self.annotator.model_name, "dtype": self.chosen["dtype"]}
        return {**fields, "lexicon": fingerprint()[:8]}


def read_embedded(text: str) -> Reading:
    """Labels from the findings parser, and the vector they make. An empty report has none."""
    if is_blank(text):
        classes = np.zeros(len(observation_names()), dtype=np.int8)
    else:
        labels = chexpert_labels(parse(text), named_only=True)
        classes = np.array([_CLASS[label] for label in labels.values()], dtype=np.int8)
    return Reading(classes, label_vector(classes))


def _detail(prediction: Reading, reference: Reading) -> dict[str, Any]:
    """What each report says of each condition."""
    sides = {"prediction": prediction, "reference": reference}
    return {
        side: {
            "labels": {name: CLASSES[c] for name, c in zip(observation_names(), reading.classes, strict=True)},
            "truncated": reading.truncated,
        }
        for side, reading in sides.items()
    }


SCORER = ChexbertScorer
