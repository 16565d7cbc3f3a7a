"""`ct_f1`: agreement of two chest CT reports on the 18 abnormalities of CT-RATE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.findings.types import ParsedReport
from radeval_core.findings.views.ctrate import ctrate_evidence, ctrate_names
from radeval_core.functional.ct_f1 import CtLabels, pair_f1, pair_statistics, summarise
from radeval_core.metrics._annotated import AnnotatedScorer
from radeval_core.metrics.base import DTYPE, Array, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank

if TYPE_CHECKING:
    from radeval_core.annotators.findings import ReportView
    from radeval_core.annotators.radbert_ct import RadbertCt

SPEC = MetricSpec(
    name="ct_f1",
    measures="18 abnormalities of a chest CT (micro F1), and CRG",
    version=3,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "an empty report has no label, and agrees only with another empty one"),
    multi_reference=False,
    corpus_headline=True,
    two_pass=False,
    parts={"label_errors": Part(False, "number of labels in which the two reports differ")},
    configs=(
        Config("embedded", "labels from our findings parser, no model"),
        Config("radbert-ct", "the published RadBERT text classifier", "IAMJB/RadBERT-CT", "models"),
    ),
    takes_checkpoint=True,
    backends=(),
    citation="""@inproceedings{hamamci2025crg,
  title={CRG Score: A Distribution-Aware Clinical Metric for Radiology Report Generation},
  author={Hamamci, Ibrahim Ethem and Er, Sezgin and Shit, Suprosanna and Reynaud, Hadrien and Kainz, Bernhard and
    Menze, Bjoern},
  booktitle={MIDL}, year={2025}
}""",
    urls=("https://arxiv.org/abs/2403.17834", "https://arxiv.org/abs/2505.17167"),
)


class CtF1Scorer(AnnotatedScorer):
    """Labels each distinct report once, then compares the pairs."""

    spec = SPEC
    options: ClassVar = {"dtype": DTYPE}
    corpus_numbers = ("macro_f1", "crg", "accuracy")

    def prepare(self) -> None:
        self.names = tuple(name.lower().replace(" ", "_") for name in ctrate_names())

    @property
    def annotator(self) -> RadbertCt | ReportView[CtLabels]:
        r = self.resources
        if not self.source:
            return r.view("labels-ctrate", read_labels, lambda labels: 18 + 100 * len(labels.evidence))
        with self.needs_models():
            from radeval_core.annotators.radbert_ct import radbert_ct
        return radbert_ct(self.source, r.device, self.chosen["dtype"], r.batch_tokens, r.progress)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        found: dict[str, CtLabels] = self.annotations(pairs)
        readings = [(found[pair.prediction], found[pair.reference]) for pair in pairs]
        prediction, reference = (np.array([both[side].present for both in readings]) for side in (0, 1))
        scores = pair_f1(prediction, reference)
        one_empty = np.zeros(len(pairs), bool)
        if not self.source:  # an empty report has no labels, but it does not agree with a normal one
            one_empty[:] = [is_blank(pair.prediction) != is_blank(pair.reference) for pair in pairs]
            scores[one_empty] = 0.0
        errors = (prediction != reference).sum(axis=1).astype(np.float64)
        values = {"ct_f1": scores, "label_errors": errors}
        details = [_detail(*both) for both in readings] if detailed else None
        return PairScores(values, pair_statistics(prediction, reference, one_empty), details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        numbers = summarise(sums, n, self.names)
        return {"ct_f1": numbers.pop("micro_f1"), **numbers}

    def signature_fields(self) -> dict[str, object]:
        return {"labels": "ctrate-18", **self.annotator.fields}


def read_labels(report: ParsedReport) -> CtLabels:
    """Return the labels of a parsed report, and where it states them."""
    found = ctrate_evidence(report)
    evidence = tuple((label, f.start, f.end) for label, findings in found.items() for f in findings)
    return CtLabels(np.array([bool(findings) for findings in found.values()]), evidence)


def _detail(prediction: CtLabels, reference: CtLabels) -> dict[str, Any]:
    """Return which labels each report has, and where it states them."""
    return {
        side: {
            "labels": dict(zip(ctrate_names(), reading.present.tolist(), strict=True)),
            "evidence": [{"label": label, "start": start, "end": end} for label, start, end in reading.evidence],
            "truncated": reading.truncated,
        }
        for side, reading in (("prediction", prediction), ("reference", reference))
    }


SCORER = CtF1Scorer
