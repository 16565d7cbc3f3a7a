"""`srrbert_f1`: agreement of two chest reports on SRR-BERT's findings, each present, uncertain or absent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.findings.types import ParsedReport
from radeval_core.findings.views.srrbert import EMBEDDED_SET, label_names, srr_labels, unseen_labels
from radeval_core.functional.srrbert_f1 import SrrLabels, pair_statistics, shared_labels, summarise
from radeval_core.metrics._annotated import AnnotatedScorer
from radeval_core.metrics.base import DTYPE, Array, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec
from radeval_core.pairs import Pair, is_blank

if TYPE_CHECKING:
    from radeval_core.annotators.findings import ReportView
    from radeval_core.annotators.srrbert import SrrBert

_PUBLISHED = {
    "leaves-with-statuses": ("SRR-BERT-Leaves-with-Statuses", "54 findings, each present, uncertain or absent"),
    "leaves": ("SRR-BERT-Leaves", "54 findings, mentioned or not"),
    "upper-with-statuses": ("SRRG-BERT-Upper-with-Statuses", "24 groups of findings, each with a status"),
    "upper": ("SRR-BERT-Upper", "24 groups of findings, mentioned or not"),
}

SPEC = MetricSpec(
    name="srrbert_f1",
    measures="findings of SRR-BERT with their status (weighted F1)",
    version=2,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "an empty report has no label, and agrees only with another empty one"),
    multi_reference=False,
    corpus_headline=True,
    two_pass=False,
    parts={},
    configs=(
        Config("embedded", "21 of the 24 groups with statuses, from our findings parser, no model"),
        *(
            Config(name, f"{checkpoint}: {about}", f"StanfordAIMI/{checkpoint}", "models")
            for name, (checkpoint, about) in _PUBLISHED.items()
        ),
    ),
    takes_checkpoint=True,
    backends=(),
    citation="""@inproceedings{delbrouck2025srrg,
  title={Automated Structured Radiology Report Generation},
  author={Delbrouck, Jean-Benoit and Xu, Justin and Moll, Johannes and Thomas, Alois and Chen, Zhihong and Ostmeier,
    Sophie and Azhar, Asfandyar and Li, Kelvin Zhenghao and Johnston, Andrew and Bluethgen, Christian and Reis, Eduardo
    Pontes and Muneer, Mohamed S. and Varma, Maya and Langlotz, Curtis},
  booktitle={ACL}, year={2025}
}""",
    urls=("https://arxiv.org/abs/2505.24223", "https://github.com/jbdel/RadEval"),
)


class SrrScorer(AnnotatedScorer):
    """Labels each distinct report once, then compares the pairs."""

    spec = SPEC
    options: ClassVar = {"dtype": DTYPE}
    corpus_numbers = ("weighted_precision", "weighted_recall", "micro_f1", "macro_f1", "samples_f1")

    @property
    def annotator(self) -> SrrBert | ReportView[SrrLabels]:
        r = self.resources
        if not self.source:
            return r.view("srr-labels", read_labels, lambda labels: 200 * len(labels.quotes))
        with self.needs_models():
            from radeval_core.annotators.srrbert import srrbert
        wanted = self.config.name if self.config.name in _PUBLISHED and not self.checkpoint else None
        return srrbert(self.source, wanted, r.device, self.chosen["dtype"], r.batch_tokens, r.progress)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that are compared."""
        return label_names(self._label_set)

    @property
    def _label_set(self) -> str:
        return getattr(self.annotator, "label_set", None) or EMBEDDED_SET

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        found: dict[str, SrrLabels] = self.annotations(pairs)
        sides = [(found[pair.prediction], found[pair.reference]) for pair in pairs]
        prediction, reference = (
            np.array([both[side].present for both in sides]).reshape(len(pairs), -1) for side in (0, 1)
        )
        scores = shared_labels(prediction, reference)
        if not self.source:  # an empty report has no labels, but it does not agree with an abnormal one that has none
            scores[np.array([is_blank(pair.prediction) != is_blank(pair.reference) for pair in pairs])] = 0.0
        details = [self._detail(*both) for both in sides] if detailed else None
        return PairScores({"srrbert_f1": scores}, pair_statistics(prediction, reference), details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        numbers = summarise(sums, n, [_key(label) for label in self.labels])
        return {"srrbert_f1": numbers.pop("weighted_f1"), **numbers}

    def signature_fields(self) -> dict[str, object]:
        return {"labels": self._label_set, **self.annotator.fields}

    def _detail(self, prediction: SrrLabels, reference: SrrLabels) -> dict[str, Any]:
        """Return the labels of both reports, each with what it was read from, and the labels that cannot be seen."""
        return {
            **{
                side: {
                    "labels": [
                        {"label": label, "read_from": list(labels.quotes[label])}
                        for label in self.labels
                        if label in labels.quotes
                    ],
                    "truncated": labels.truncated,
                }
                for side, labels in (("prediction", prediction), ("reference", reference))
            },
            "unseen": [] if self.source else list(unseen_labels()),
        }


def read_labels(report: ParsedReport) -> SrrLabels:
    """Return the labels of a parsed report."""
    found = srr_labels(report)
    quotes = {label: tuple(dict.fromkeys(f.text for f in mentions)) for label, mentions in found.items()}
    return SrrLabels(np.array([label in found for label in label_names(EMBEDDED_SET)]), quotes)


def _key(label: str) -> str:
    """Return a label as part of a key: `Edema (Absent)` is `edema_absent`."""
    return re.sub(r"\W+", "_", label.lower()).strip("_")


SCORER = SrrScorer
