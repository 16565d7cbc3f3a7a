"""`fineradscore`: the corrections a candidate needs, line by line, and how severe its errors are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from radeval_core.corrections.apply import apply_corrections
from radeval_core.corrections.lines import split_lines
from radeval_core.corrections.types import CATEGORY_TITLES, Analysis
from radeval_core.error_categories import CATEGORIES
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.fineradscore import SEVERITY_KEYS, counts, total, worst
from radeval_core.judges.fineradscore.embedded import correct
from radeval_core.judges.fineradscore.instructions import FineRadInstructions, choose_instructions
from radeval_core.judges.verdict import Verdict
from radeval_core.metrics._judged import BACKENDS, OPEN_MATCH, JudgedScorer, prompt_options
from radeval_core.metrics.base import Array, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank
from radeval_core.patient_context import PatientContext

_COUNTS = (*SEVERITY_KEYS, *CATEGORIES)
#: the severity of an emergent error: the least that one empty report counts
EMERGENT = 4.0

SPEC = MetricSpec(
    name="fineradscore",
    measures="line corrections by clinical severity (sum)",
    version=8,
    higher_is_better=False,
    bounds=(0.0, None),
    symmetric=False,
    identity=0.0,
    empty=EmptyRule(
        EMERGENT,
        EMERGENT,
        0.0,
        "at least one emergent error; every finding to insert or delete counts as usual",
        at_least=True,
    ),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={
        "max": Part(False, "highest severity of a correction, 0 to 4"),
        "corrections": Part(False, "number of corrections"),
    },
    configs=(Config("embedded", "our findings parser and comparison, no model"),),
    takes_checkpoint=True,
    citation="""@article{huang2024fineradscore,
  title={{FineRadScore}: A Radiology Report Line-by-Line Evaluation Technique Generating Corrections with Severity
    Scores},
  author={Huang, Alyssa and Banerjee, Oishi and Wu, Kay and Reis, Eduardo Pontes and Rajpurkar, Pranav},
  journal={arXiv preprint arXiv:2405.20613}, year={2024}
}""",
    urls=("https://arxiv.org/abs/2405.20613", "https://github.com/rajpurkarlab/FineRadScore"),
    backends=BACKENDS,
)


class FineRadScorer(JudgedScorer[Analysis]):
    """Gets the corrections of each distinct pair and computes the numbers."""

    spec = SPEC
    options: ClassVar = {
        **prompt_options("radeval (default), paper (appendix A)", "invented (default: five), none"),
        "open_match": OPEN_MATCH,
        **JudgedScorer.model_options,
    }

    def choose_instructions(
        self, instructions: str | None, examples: str | None, shots: int | None
    ) -> FineRadInstructions:
        return choose_instructions(instructions, examples, shots)

    def analyse(self, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None) -> Analysis:
        return correct(reference, candidate)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        verdicts = self.verdicts(pairs)
        rows = np.full((len(pairs), 3), math.nan)
        counted = np.zeros((len(pairs), len(_COUNTS)))
        for i, (pair, verdict) in enumerate(zip(pairs, verdicts, strict=True)):
            if verdict.analysis is not None:
                corrections = verdict.analysis.corrections
                severities = [c.severity for c in corrections]
                least = EMERGENT if is_blank(pair.prediction) != is_blank(pair.reference) else 0
                rows[i] = max(total(severities), least), max(worst(severities), least), len(corrections)
                counted[i] = list(counts(severities, [c.category for c in corrections], CATEGORY_TITLES).values())
        values = dict(zip(self.value_names, rows.T, strict=True))
        details = [self._detail(p, v) for p, v in zip(pairs, verdicts, strict=True)] if detailed else None
        return PairScores(values, np.column_stack([rows, counted]), details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        return {key: sums[..., i] / n for i, key in enumerate((*self.value_names, *_COUNTS))}

    def _detail(self, pair: Pair, verdict: Verdict[Analysis]) -> dict[str, Any]:
        """Return the corrections, the report before and after them, and what a model was shown."""
        asked = self.judge.asked(pair.reference, pair.prediction, verdict)
        changed = asked and asked["neutralised"]["prediction"]
        # corrections are about the lines the judge saw
        candidate = self.judge.shown(pair.prediction) if changed else pair.prediction
        analysis = verdict.analysis
        return {
            "lines": [line.text for line in split_lines(candidate)],
            "corrections": [c.as_dict() for c in analysis.corrections] if analysis else None,
            "corrected": apply_corrections(candidate, analysis.corrections) if analysis else None,
            "reason": verdict.reason,
            **asked,
        }


SCORER = FineRadScorer
