"""`radfact`: which phrases of a report the other report entails, and with boxes which of them are in their place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from radeval_core.errors import InputError
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.radfact import (
    KINDS,
    SideMeasures,
    corpus_f1,
    f1,
    side_measures,
    spatially_entailed,
)
from radeval_core.judges.radfact.analysis import RadFactAnalysis, SideAnalysis
from radeval_core.judges.radfact.embedded import analyse
from radeval_core.judges.radfact.instructions import EntailmentInstructions
from radeval_core.judges.radfact.wording import CT, RADFACT, Wording, choose_wording
from radeval_core.judges.verdict import Judge, Verdict
from radeval_core.metrics._judged import BACKENDS, OPEN_MATCH, PROMPT_OPTIONS, JudgedScorer
from radeval_core.metrics._phrase_boxes import PhraseBoxes
from radeval_core.metrics.base import Array, Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair
from radeval_core.patient_context import PatientContext

if TYPE_CHECKING:
    from radeval_core.judges.radfact.judge import RadFactJudge

#: precision and recall of each kind, in the order of the statistics
MEASURES = tuple(f"{kind}_{what}" for kind in KINDS for what in ("precision", "recall"))
#: number of statistics per pair: sum and count of each measure, and the phrases of both reports
STATISTICS = 2 * len(MEASURES) + 2
_ABOUT = {
    "logical": "phrases that the other report entails",
    "grounding": "entailed phrases with boxes whose boxes agree too",
    "spatial": "phrases with boxes that are entailed and whose boxes agree",
}


def _parts() -> dict[str, Part]:
    parts = {}
    for kind, about in _ABOUT.items():
        parts[f"{kind}_precision"] = Part(True, f"of the prediction: {about}")
        parts[f"{kind}_recall"] = Part(True, f"of the reference: {about}")
        if kind != "logical":
            parts[f"{kind}_f1"] = Part(True, f"F1 of {kind} precision and recall")
    return parts


SPEC = MetricSpec(
    name="radfact",
    measures="phrases that the other report entails (F1), and with boxes their places",
    version=3,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "a report without phrases entails nothing"),
    multi_reference=False,
    corpus_headline=True,
    two_pass=False,
    parts=_parts(),
    configs=(Config("embedded", "our findings parser and comparison, no model"),),
    takes_checkpoint=True,
    citation="""@article{bannur2024maira2,
  title={{MAIRA-2}: Grounded Radiology Report Generation},
  author={Bannur, Shruthi and Bouzid, Kenza and Castro, Daniel C. and Schwaighofer, Anton and Thieme, Anja and
    Bond-Taylor, Sam and Ilse, Maximilian and P{\\'e}rez-Garc{\\'i}a, Fernando and Salvatelli, Valentina and
    Sharma, Harshita and Meissen, Felix and Ranjit, Mercy and Srivastav, Shaury and Gong, Julia and Codella, Noel C. F.
    and Falck, Fabian and Oktay, Ozan and Lungren, Matthew P. and Wetscherek, Maria Teodora and Alvarez-Valle, Javier
    and Hyland, Stephanie L.},
  journal={arXiv preprint arXiv:2406.04449}, year={2024}
}""",
    urls=("https://arxiv.org/abs/2406.04449", "https://github.com/microsoft/RadFact"),
    backends=BACKENDS,
)


class RadFactScorer(JudgedScorer[Any]):
    """Gets the judged phrases of each pair and computes precision and recall.

    A model answers two kinds of questions, so its instructions and its analysis of a pair differ in type.
    """

    spec = SPEC
    options: ClassVar = {
        "boxes": Option(
            None,
            list,
            "one dict per pair: prediction and reference, each a list of {phrase, boxes}, see the card; or the column",
        ),
        "filter_negatives": Option(
            False, bool, "count positive findings only (RadFact+); with a model only for instructions=ct"
        ),
        "instructions": Option(
            None, str, "what a model is told: radfact (default), or ct, RadEval's variant for CT", (RADFACT, CT)
        ),
        "examples": Option(
            None,
            str,
            "entailment examples a model is shown: invented (default), none, or a file in the layout of RadFact's "
            "entailment_few_shot_examples.json",
        ),
        "shots": Option(None, int, "number of entailment examples to show, from the first; all by default, 0 for none"),
        "open_match": OPEN_MATCH,
        **JudgedScorer.model_options,
    }
    whole_run_options = ("boxes",)

    def prepare(self) -> None:
        super().prepare()
        self._phrases = PhraseBoxes(self.chosen["boxes"])
        if self.chosen["filter_negatives"] and not self.embedded and self.wording.name != CT:
            raise InputError("option radfact.filter_negatives needs radfact.instructions=ct: only CT has such a prompt")

    def choose_instructions(
        self, instructions: str | None, examples: str | None, shots: int | None
    ) -> EntailmentInstructions:
        return EntailmentInstructions(choose_wording(instructions, examples, shots))

    @property
    def wording(self) -> Wording:
        """Return what a model is told."""
        return self.choose_instructions(*(self.chosen[name] for name in PROMPT_OPTIONS)).wording

    @property
    def columns(self) -> tuple[str, ...]:
        return self._phrases.columns

    @property
    def two_pass(self) -> bool:
        """True if boxes belong to pairs by order: the pairs are counted first."""
        return self._phrases.by_order

    def observe(self, pairs: Sequence[Pair]) -> None:
        self._phrases.count(len(pairs))

    def analyse(
        self, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None
    ) -> RadFactAnalysis:
        return analyse(reference, candidate, positive_only=self.chosen["filter_negatives"])

    @cached_property
    def judge(self) -> Judge[RadFactAnalysis]:
        """Return who judges the pairs; a model is loaded when first asked for."""
        judge = super().judge
        if self.embedded:
            return judge
        from radeval_core.judges.model_judge import ModelJudge
        from radeval_core.judges.radfact.judge import make_judge

        assert isinstance(judge, ModelJudge)
        r = self.resources
        return make_judge(self.wording, judge.backend, r.store.cache, self.chosen["filter_negatives"], r.progress)

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict[RadFactAnalysis]]:
        """Return what the judge says of each pair."""
        given = self._phrases.next(pairs)
        if not self.embedded:
            items = [(p.reference, p.prediction, phrases) for p, phrases in zip(pairs, given, strict=True)]
            judged = cast("RadFactJudge", self.judge).judge(items)
            self.count_outcomes(judged)
            return judged
        verdicts = super().verdicts(pairs)
        for i, (pair, phrases) in enumerate(zip(pairs, given, strict=True)):
            if phrases is not None and verdicts[i].analysis is not None:
                reports = self.resources.reports([pair.reference, pair.prediction])
                both = reports[pair.reference], reports[pair.prediction]
                with self.comparing():
                    verdicts[i] = Verdict(analyse(*both, phrases, self.chosen["filter_negatives"]))
        return verdicts

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        verdicts = self.verdicts(pairs)
        rows = np.full((len(pairs), len(self.value_names)), math.nan)
        stats = np.zeros((len(pairs), STATISTICS))
        for i, verdict in enumerate(verdicts):
            if verdict.analysis is not None:
                sides = _measures(verdict.analysis)
                rows[i] = [pair_values(*sides)[name] for name in self.value_names]
                stats[i] = statistics(*sides)
        details = [self._detail(p, v) for p, v in zip(pairs, verdicts, strict=True)] if detailed else None
        return PairScores(dict(zip(self.value_names, rows.T, strict=True)), stats, details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        return summarise(sums, n)

    def signature_fields(self) -> dict[str, object]:
        kept = {"filter": "negatives"} if self.chosen["filter_negatives"] else {}
        return {**super().signature_fields(), **kept, **self._phrases.fields}

    def _detail(self, pair: Pair, verdict: Verdict[RadFactAnalysis]) -> dict[str, Any]:
        """Return the phrases of both reports with their verdicts, and what a model was asked."""
        found = verdict.analysis
        sides: dict[str, Any] = {}
        if found is not None:
            sides["prediction"] = _phrases(found.candidate, found.reference)
            sides["reference"] = _phrases(found.reference, found.candidate)
        return {**sides, "reason": verdict.reason, **self.judge.asked(pair.reference, pair.prediction, verdict)}


def _measures(analysis: RadFactAnalysis) -> tuple[SideMeasures, SideMeasures]:
    """Return the measures of the candidate and of the reference."""
    ours, theirs = analysis.candidate.phrases, analysis.reference.phrases
    return side_measures(ours, theirs), side_measures(theirs, ours)


def pair_values(candidate: SideMeasures, reference: SideMeasures) -> dict[str, float]:
    """Return the values of one pair; F1 follows the empty rule where a report has no phrases."""
    values = {}
    for kind in KINDS:
        both = getattr(candidate, kind), getattr(reference, kind)
        values[f"{kind}_precision"], values[f"{kind}_recall"] = both
        values[f"{kind}_f1"] = f1(*both)
    silent = not candidate.phrases, not reference.phrases
    rule = SPEC.empty
    if any(silent):
        values["logical_f1"] = rule.both if all(silent) else rule.prediction if silent[0] else rule.reference
    values["radfact"] = values.pop("logical_f1")
    return values


def statistics(candidate: SideMeasures, reference: SideMeasures) -> list[float]:
    """Return what is summed over pairs: the measures, which of them are numbers, and the phrases of both reports."""
    values = np.array([getattr(side, kind) for kind in KINDS for side in (candidate, reference)])
    known = ~np.isnan(values)
    return [*np.where(known, values, 0.0), *known.astype(np.float64), candidate.phrases, reference.phrases]


def summarise(sums: Array, n: int) -> dict[str, Array]:
    """Return the numbers of a corpus: means over the pairs that have a measure, and F1 of these means."""
    count = sums[..., len(MEASURES) : -2]
    means = np.where(count > 0, sums[..., : len(MEASURES)] / np.maximum(count, 1), math.nan)
    found = dict(zip(MEASURES, np.moveaxis(means, -1, 0), strict=True))
    scores = {kind: corpus_f1(found[f"{kind}_precision"], found[f"{kind}_recall"]) for kind in KINDS}
    # without any phrase in all reports of one side, or both, the empty rule holds for the corpus too
    silent = count[..., :2] == 0
    rule = SPEC.empty
    empty = np.where(silent.all(axis=-1), rule.both, np.where(silent[..., 0], rule.prediction, rule.reference))
    return {
        "radfact": np.where(silent.any(axis=-1), empty, scores["logical"]),
        **found,
        **{f"{kind}_f1": scores[kind] for kind in KINDS[1:]},
        "candidate_phrases": sums[..., -2] / n,
        "reference_phrases": sums[..., -1] / n,
    }


def _phrases(side: SideAnalysis, other: SideAnalysis) -> list[dict[str, Any]]:
    """Return the phrases of one report as plain values."""
    return [
        {
            "phrase": phrase.text,
            "entailed": phrase.entailed,
            "evidence": list(phrase.evidence),
            "why": why,
            "spans": [list(span) for span in spans],
            "boxes": None if phrase.boxes is None else [list(box) for box in phrase.boxes],
            "in_place": spatially_entailed(phrase, other.phrases),
        }
        for phrase, spans, why in zip(side.phrases, side.spans, side.why, strict=True)
    ]


SCORER = RadFactScorer
