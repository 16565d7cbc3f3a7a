"""`crimson`: findings and errors weighted by clinical significance, which the patient's context can change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from radeval_core.findings.types import ParsedReport
from radeval_core.functional.crimson import ATTRIBUTE, FALSE, MISSING, CrimsonScore, level_weight, severity_weight
from radeval_core.judges.crimson.analysis import CrimsonAnalysis
from radeval_core.judges.crimson.embedded import analyse, graded_weight
from radeval_core.judges.crimson.instructions import CrimsonInstructions, choose_instructions
from radeval_core.judges.verdict import Case, Verdict
from radeval_core.metrics._judged import BACKENDS, OPEN_MATCH, JudgedScorer, prompt_options
from radeval_core.metrics.base import Array, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank
from radeval_core.patient_context import PatientContext

_CHECKPOINT = "rajpurkarlab/medgemma-4b-it-crimson"

SPEC = MetricSpec(
    name="crimson",
    measures="findings and errors weighted by clinical significance for this patient",
    version=3,
    higher_is_better=True,
    bounds=(-1.0, 1.0),
    symmetric=False,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "an empty report states nothing right and nothing wrong"),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={
        "error_count": Part(False, "number of errors: false and missing findings, attribute errors"),
        "false_weight": Part(False, "summed weight of false findings"),
        "missing_weight": Part(False, "summed weight of missing findings"),
        "attribute_weight": Part(False, "summed weight of attribute errors"),
    },
    configs=(
        Config("embedded", "our findings parser, comparison and table of contexts, no model"),
        Config("medgemma-4b", "the paper's model, MedGemma 4B tuned for this task", _CHECKPOINT, "models"),
    ),
    takes_checkpoint=True,
    citation="""@article{baharoon2026crimson,
  title={{CRIMSON}: A Clinically-Grounded {LLM}-Based Metric for Generative Radiology Report Evaluation},
  author={Baharoon, Mohammed and Heintz, Thibault and Raissi, Siavash and Alabbad, Mahmoud and Alhammad, Mona and
    AlOmaish, Hassan and Kim, Sung Eun and Banerjee, Oishi and Rajpurkar, Pranav},
  journal={arXiv preprint arXiv:2603.06183}, year={2026}
}""",
    urls=("https://arxiv.org/abs/2603.06183", "https://github.com/rajpurkarlab/CRIMSON"),
    backends=BACKENDS,
)


class CrimsonScorer(JudgedScorer[CrimsonAnalysis]):
    """Gets the evaluation of each distinct pair and patient, and computes the numbers."""

    spec = SPEC
    uses_context = True
    options: ClassVar = {
        **prompt_options(
            "checkpoint (default for medgemma-4b), guidelines (default for other models)", "none (default)"
        ),
        "open_match": OPEN_MATCH,
        **JudgedScorer.model_options,
    }

    def prepare(self) -> None:
        super().prepare()
        self._contexts: set[bool] = set()

    def choose_instructions(
        self, instructions: str | None, examples: str | None, shots: int | None
    ) -> CrimsonInstructions:
        return choose_instructions(instructions, examples, shots, trained=_CHECKPOINT in self.source)

    def analyse(
        self, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None
    ) -> CrimsonAnalysis:
        return analyse(reference, candidate, context)

    def case(self, pair: Pair) -> Case:
        self._contexts.add(pair.context is not None)
        return Case(pair.reference, pair.prediction, pair.context)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        verdicts = self.verdicts(pairs)
        rows = np.full((len(pairs), len(self.value_names)), math.nan)
        for i, (pair, verdict) in enumerate(zip(pairs, verdicts, strict=True)):
            rows[i] = _numbers(pair, verdict.analysis)
        analysed = ~np.isnan(rows[:, 1])
        stats = np.column_stack([rows[:, 0], np.nan_to_num(rows[:, 1:]), analysed])
        details = [self._detail(p, v) for p, v in zip(pairs, verdicts, strict=True)] if detailed else None
        return PairScores(dict(zip(self.value_names, rows.T, strict=True)), stats, details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        analysed = np.maximum(sums[..., -1], 1)
        parts = {name: sums[..., i] / analysed for i, name in enumerate(self.spec.parts, start=1)}
        return {"crimson": sums[..., 0] / n, **parts}

    def signature_fields(self) -> dict[str, object]:
        known = "some" if len(self._contexts) > 1 else "all" if True in self._contexts else "none"
        return {**super().signature_fields(), "context": known}

    def joined_fields(self, parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
        known = {part["context"] for part in parts}
        context = known.pop() if len(known) == 1 else "some"
        return super().joined_fields([{**part, "context": context} for part in parts])

    def _detail(self, pair: Pair, verdict: Verdict[CrimsonAnalysis]) -> dict[str, Any]:
        """Return findings, matches and errors with their weights, and the sums that give the score."""
        asked = self.judge.asked(pair.reference, pair.prediction, verdict)
        analysis = verdict.analysis
        if analysis is None:
            return {"reason": verdict.reason, **asked}
        return {**_evaluation(analysis, graded=self.embedded), "reason": verdict.reason, **asked}


def _numbers(pair: Pair, analysis: CrimsonAnalysis | None) -> tuple[float, ...]:
    """Return the score and the parts of one pair; NaN if both reports say something and there is no analysis."""
    silent = (is_blank(pair.prediction), is_blank(pair.reference)) if analysis is None else analysis.silent
    rule = SPEC.empty
    score = math.nan if analysis is None else analysis.score.score
    if any(silent):
        score = rule.both if all(silent) else rule.prediction if silent[0] else rule.reference
    if analysis is None:
        return score, *(math.nan for _ in SPEC.parts)
    found = analysis.score
    errors = sum(found.counts[kind] for kind in (FALSE, MISSING, ATTRIBUTE))
    return score, errors, found.false, found.missing, found.attribute


def _evaluation(analysis: CrimsonAnalysis, graded: bool) -> dict[str, Any]:
    """Return an evaluation as plain values, with the weight of every entry."""
    said, errors = analysis.evaluation, analysis.evaluation["errors"]
    weigh = graded_weight if graded else severity_weight
    return {
        "reference_findings": [
            {**_finding(entry), "credit": float(analysis.score.credits.get(entry["id"], 0.0))}
            for entry in said["reference_findings"]
        ],
        "prediction_findings": [_finding(entry) for entry in said["predicted_findings"]],
        "matches": [
            {"reference": str(match["ref_id"]), "prediction": str(match.get("pred_id", ""))}
            for match in said["matched_findings"]
        ],
        "false_findings": [str(name) for name in errors.get(FALSE, [])],
        "missing_findings": [str(name) for name in errors.get(MISSING, [])],
        "attribute_errors": [
            {
                "reference": str(error["ref_id"]),
                "prediction": str(error.get("pred_id", "")),
                "types": _texts(error.get("error_types", [])),
                "severity": str(error.get("severity", "")),
                "weight": float(weigh(error)),
                "text": str(error.get("explanation", "")),
            }
            for error in errors.get(ATTRIBUTE, [])
        ],
        "sums": _sums(analysis.score),
    }


def _finding(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": str(entry["id"]),
        "finding": str(entry.get("finding", "")),
        "significance": str(entry.get("clinical_significance", "")),
        "weight": float(level_weight(entry)),
        **({"sentence": entry["span"], "rules": entry["rules"]} if "span" in entry else {}),
    }


def _texts(values: Any) -> list[str]:
    return [values] if isinstance(values, str) else [str(value) for value in values]


def _sums(score: CrimsonScore) -> dict[str, float]:
    names = ("correct", "false", "missing", "attribute", "total", "score")
    return {name: float(getattr(score, name)) for name in names}


SCORER = CrimsonScorer
