"""Compare the answers of a GREEN model with other answers to the same question. Tables 3 and 8 of the GREEN paper.

The data states an answer per pair (`answer`), such as GPT-4's. The model's answer is compared with it by ROUGE-L and
BLEU, and by BERTScore if it is among the metrics. The embedded judge writes no answers in that form and has no row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from radeval_core.bench.expert_data import ExpertData
from radeval_core.bench.plain import plain
from radeval_core.bench.published import Measured, published_values, with_measured
from radeval_core.bench.values import ScoredValue, Values, run_metrics, values_of
from radeval_core.pairs import Pair
from radeval_core.runner import MetricResult
from radeval_core.stats.agreement import Array, weighted_mean

JUDGE = "green"
_ALWAYS = ("rouge.rougeL", "bleu")


def answer_section(
    results: Values,
    data: ExpertData,
    resamples: Array,
    metrics: Sequence[str],
    configs: Mapping[str, str] | None,
    options: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Return mean and standard deviation of each similarity; None without answers on both sides.

    Args:
        results: the named metrics; `green` with its details.
        data: pairs with answers.
        resamples: resamples of the pairs.
        metrics: names of metrics; `bertscore` among them adds BERTScore.
        configs: config by metric.
        options: further arguments of `api.score`.
    """
    judged = results.get(JUDGE)
    if judged is None or judged.details is None or not data.answers:
        return None
    rows = [i for i, detail in enumerate(judged.details) if detail.get("answer")]
    if not rows:
        return None
    names = [*_ALWAYS, *(["bertscore"] if "bertscore" in metrics else [])]
    pairs = [Pair(str(judged.details[i]["answer"]), (data.answers[i],), i) for i in rows]
    chosen = {name: config for name, config in (configs or {}).items() if name in names}
    found = values_of(run_metrics(pairs, names, chosen, options), names)
    return {
        name: {**plain(weighted_mean(value.scores, resamples[:, rows])), "std": float(np.nanstd(value.scores))}
        for name, value in found.items()
    }


def answers_beside_measured(
    section: Mapping[str, Any], results: Mapping[str, MetricResult], provenance: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the published similarities, each with ours."""

    def measure(value: ScoredValue, row: dict[str, Any]) -> Measured:
        measured: Measured = section.get(row["measure"])
        return measured

    return with_measured(published_values(provenance, "answers"), results, measure)
