"""`fineradscore`: the corrections a candidate needs, line by line, and how severe its errors are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from radeval_core.findings import parse
from radeval_core.judges.fineradscore.analysis import CATEGORIES, Analysis
from radeval_core.judges.fineradscore.apply import apply_corrections
from radeval_core.judges.fineradscore.embedded import correct
from radeval_core.judges.fineradscore.judge import FineRadJudge, shown_report
from radeval_core.judges.fineradscore.lines import split_lines
from radeval_core.judges.verdict import Verdict
from radeval_core.pairs import Pair, is_blank
from radeval_core.scorer import Array, Option, PairScores
from radeval_core.scorers._judged import BACKENDS, JudgedScorer, asked_detail
from radeval_core.scores.fineradscore import CATEGORY_KEYS, SEVERITY_KEYS, counts, total, worst
from radeval_core.spec import Config, EmptyRule, MetricSpec

_COUNTS = (*SEVERITY_KEYS, *CATEGORY_KEYS)

SPEC = MetricSpec(
    name="fineradscore",
    measures="line corrections by clinical severity (sum)",
    version=2,
    higher_is_better=False,
    bounds=(0.0, None),
    symmetric=False,
    identity=0.0,
    empty=EmptyRule(
        4.0, 4.0, 0.0, "a missing report is one emergent error; findings to insert or delete are added to it"
    ),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts=("max", "corrections"),
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


class FineRadScorer(JudgedScorer):
    """Corrections of each distinct pair, and the numbers that follow from them."""

    spec = SPEC
    options: ClassVar = {"few_shot": Option(True, bool), **JudgedScorer.model_options}

    def prepare(self) -> None:
        super().prepare()
        self._judge = FineRadJudge(self.chosen["few_shot"])

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        verdicts = self._verdicts(pairs)
        rows = np.full((len(pairs), 3), math.nan)
        counted = np.zeros((len(pairs), len(_COUNTS)))
        for i, verdict in enumerate(verdicts):
            if verdict.analysis is not None:
                corrections = verdict.analysis.corrections
                severities = [c.severity for c in corrections]
                rows[i] = total(severities), worst(severities), len(corrections)
                counted[i] = list(counts(severities, [c.category for c in corrections], CATEGORIES).values())
        values = dict(zip(self.value_names, rows.T, strict=True))
        details = [self._detail(p, v) for p, v in zip(pairs, verdicts, strict=True)] if detailed else None
        return PairScores(values, np.column_stack([rows, counted]), details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        return {key: sums[..., i] / n for i, key in enumerate((*self.value_names, *_COUNTS))}

    def _verdicts(self, pairs: Sequence[Pair]) -> list[Verdict[Analysis]]:
        """The corrections of each candidate. A model is not asked about an empty report."""
        found: dict[tuple[str, str], Verdict[Analysis]] = {}
        asked: list[tuple[str, str]] = []
        for reference, candidate in dict.fromkeys((p.reference, p.prediction) for p in pairs):
            if self.embedded or is_blank(reference) or is_blank(candidate):
                found[reference, candidate] = Verdict(correct(parse(reference), parse(candidate)))
            else:
                asked.append((reference, candidate))
        if asked:
            found.update(zip(asked, self.ask(self._judge, asked), strict=True))
        return [found[p.reference, p.prediction] for p in pairs]

    def _detail(self, pair: Pair, verdict: Verdict[Analysis]) -> dict[str, Any]:
        """The corrections, the report before and after them, and what the model was shown."""
        candidate, analysis = pair.prediction, verdict.analysis
        shown = {"prediction": shown_report(candidate), "reference": shown_report(pair.reference)}
        if not self.embedded and shown["prediction"].neutralised:
            candidate = shown["prediction"].text  # corrections are about the lines the model saw
        detail: dict[str, Any] = {
            "lines": [line.text for line in split_lines(candidate)],
            "corrections": [c.as_dict() for c in analysis.corrections] if analysis else None,
            "corrected": apply_corrections(candidate, analysis.corrections) if analysis else None,
            "reason": verdict.reason,
        }
        if not self.embedded:
            detail.update(asked_detail(verdict, shown))
        return detail

    def signature_fields(self) -> dict[str, object]:
        return self.judged_with(self._judge)


SCORER = FineRadScorer
