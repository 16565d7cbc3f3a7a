"""`chexprompt`: clinically significant errors of six types, counted by a model or our comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from radeval_core.error_categories import CATEGORIES
from radeval_core.findings.types import ParsedReport
from radeval_core.judges.chexprompt.analysis import ErrorCounts
from radeval_core.judges.chexprompt.instructions import ChexpromptInstructions, choose_instructions
from radeval_core.judges.green.analysis import by_category
from radeval_core.judges.green.embedded import analyse
from radeval_core.judges.verdict import Verdict
from radeval_core.metrics._judged import BACKENDS, OPEN_MATCH, JudgedScorer, prompt_options
from radeval_core.metrics.base import Array, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank
from radeval_core.patient_context import PatientContext

#: mean counts among the results, in this order
_COUNTS = tuple(f"{kind}_{name}" for kind in ("significant", "insignificant") for name in CATEGORIES)
#: the least that one empty report counts: a report that says nothing is one significant error
_ONE_ERROR = 1.0

SPEC = MetricSpec(
    name="chexprompt",
    measures="clinically significant errors of six types (sum)",
    version=3,
    higher_is_better=False,
    bounds=(0.0, None),
    symmetric=False,
    identity=0.0,
    empty=EmptyRule(
        _ONE_ERROR, _ONE_ERROR, 0.0, "at least one significant error; others count as usual", at_least=True
    ),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={"total": Part(False, "number of all errors, significant or not")},
    configs=(Config("embedded", "our findings parser and comparison, no model"),),
    takes_checkpoint=True,
    citation="""@article{zambranochaves2025clinically,
  title={A clinically accessible small multimodal radiology model and evaluation metric for chest X-ray findings},
  author={Zambrano Chaves, Juan Manuel and Huang, Shih-Cheng and Xu, Yanbo and Xu, Hanwen and Usuyama, Naoto and
    Zhang, Sheng and Wang, Fei and Xie, Yujia and Khademi, Mahmoud and Yang, Ziyi and Awadalla, Hany and Gong, Julia and
    Hu, Houdong and Yang, Jianwei and Li, Chunyuan and Gao, Jianfeng and Gu, Yu and Wong, Cliff and Wei, Mu and
    Naumann, Tristan and Chen, Muhao and Lungren, Matthew P. and Chaudhari, Akshay and Yeung-Levy, Serena and
    Langlotz, Curtis P. and Wang, Sheng and Poon, Hoifung},
  journal={Nature Communications}, volume={16}, pages={3108}, year={2025}
}""",
    urls=("https://doi.org/10.1038/s41467-025-58344-x", "https://github.com/microsoft/chexprompt"),
    backends=BACKENDS,
)


class ChexpromptScorer(JudgedScorer[ErrorCounts]):
    """Gets the error counts of each distinct pair and adds them up."""

    spec = SPEC
    options: ClassVar = {
        **prompt_options("paper (default)", "invented (default: five), none"),
        "open_match": OPEN_MATCH,
        **JudgedScorer.model_options,
    }

    def choose_instructions(
        self, instructions: str | None, examples: str | None, shots: int | None
    ) -> ChexpromptInstructions:
        return choose_instructions(instructions, examples, shots)

    def analyse(self, reference: ParsedReport, candidate: ParsedReport, context: PatientContext | None) -> ErrorCounts:
        found = analyse(reference, candidate)
        return ErrorCounts(found.significant, found.insignificant)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        verdicts = self.verdicts(pairs)
        rows = np.full((len(pairs), 2), math.nan)
        counted = np.zeros((len(pairs), len(_COUNTS)))
        for i, (pair, verdict) in enumerate(zip(pairs, verdicts, strict=True)):
            if (found := verdict.analysis) is not None:
                least = _ONE_ERROR if is_blank(pair.prediction) != is_blank(pair.reference) else 0
                rows[i] = max(found.significant_count, least), max(found.total, least)
                counted[i] = [errors.count for errors in (*found.significant, *found.insignificant)]
        values = dict(zip(self.value_names, rows.T, strict=True))
        details = [self._detail(p, v) for p, v in zip(pairs, verdicts, strict=True)] if detailed else None
        return PairScores(values, np.column_stack([rows, counted]), details)

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        return {key: sums[..., i] / n for i, key in enumerate((*self.value_names, *_COUNTS))}

    def _detail(self, pair: Pair, verdict: Verdict[ErrorCounts]) -> dict[str, Any]:
        detail: dict[str, Any] = {"reason": verdict.reason}
        if (found := verdict.analysis) is not None:
            kinds = {"significant": found.significant, "insignificant": found.insignificant}
            detail = {**{kind: by_category(errors) for kind, errors in kinds.items()}, **detail}
        return {**detail, **self.judge.asked(pair.reference, pair.prediction, verdict)}


SCORER = ChexpromptScorer
