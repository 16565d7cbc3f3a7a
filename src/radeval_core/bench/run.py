"""Run a benchmark: score every pair once, then compute all sections from the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from radeval_core.bench import triads
from radeval_core.bench.agreement import agreement_rows, differences, experts
from radeval_core.bench.answers import answer_section, answers_beside_measured
from radeval_core.bench.correction_rows import CorrectionData
from radeval_core.bench.corrections import as_rated, correction_sections
from radeval_core.bench.counts import COUNTING, count_rows, rater_gaps
from radeval_core.bench.discrimination import discrimination
from radeval_core.bench.entities import entity_rows
from radeval_core.bench.expert_data import MEASURES, ExpertData
from radeval_core.bench.failure_modes import failure_modes
from radeval_core.bench.provenance import versions
from radeval_core.bench.published import beside_measured, counts_beside_measured
from radeval_core.bench.raters import between_raters
from radeval_core.bench.sensitivity import sensitivity
from radeval_core.bench.sources import BenchData, EntityData, TriadData
from radeval_core.bench.triads import score_triads, triad_rows
from radeval_core.bench.values import ScoredValue, run_metrics, values_of
from radeval_core.errors import InputError
from radeval_core.runner import MetricResult
from radeval_core.stats.agreement import Array, study_resamples
from radeval_core.stats.bootstrap import RESAMPLES, SEED


@dataclass(frozen=True)
class BenchResult:
    """A benchmark's result, and the numbers its plots need.

    Attributes:
        result: all sections, ready for JSON.
        scores: one score per pair, by metric.
        expert: the experts' mean for each pair, by measure.
        metric_results: what each metric returned; empty for sentences with entities.
    """

    result: dict[str, Any]
    scores: dict[str, Array] = field(default_factory=dict)
    expert: dict[str, Array] = field(default_factory=dict)
    metric_results: tuple[MetricResult, ...] = ()


def run_bench(
    data: BenchData,
    metrics: Sequence[str],
    configs: Mapping[str, str] | None = None,
    *,
    with_sensitivity: bool = False,
    with_discrimination: bool = False,
    **options: Any,
) -> BenchResult:
    """Measure how well metrics agree with experts; every coefficient is positive if metric and experts agree.

    Args:
        data: what `open_data` reads: rated pairs, triads, corrections, or sentences with entities.
        metrics: names of metrics, or of their parts: `green`, `green.error_count`.
        configs: config by metric; the default config for metrics not listed.
        with_sensitivity: also put errors into the references and measure how far each metric falls.
        with_discrimination: also measure on generated reports which errors a metric notices, and what it takes off for
            harmless rewording.
        options: further arguments of `api.score`, such as `device` or `cache`.

    Returns:
        The per-pair numbers, and a result ready for JSON. The result has one entry per metric, `{"kendall_errors":
        {"value", "ci95", "n"}, …, "preference_accuracy", "n", "unscored", "signature"}`, for the measures the data has
        (for triads `accuracy` and `ties`, for entities `entities`), and sections over all metrics: `"experts"`, each
        rater against the others, as the ceiling; `"raters"`, every two raters and their intraclass correlation;
        `"differences"` of Kendall's tau between metrics, on the pairs that all of them scored; `"failure_modes"`,
        `"published"`, `"corrections"`, `"sensitivity"` and `"discrimination"` if the data and the arguments allow
        them; `"seed"`, `"resamples"`, `"versions"`, and `"data"` with the source of the rows.
    """
    if isinstance(data, EntityData):
        if with_sensitivity:
            raise InputError("sensitivity needs pairs of reports; the data has sentences with entities")
        outcome, references = BenchResult(entity_rows(data, metrics, configs, options)), []
    elif isinstance(data, TriadData):
        outcome, references = _triads(data, metrics, configs, options), data.originals
    elif isinstance(data, CorrectionData):
        rated = as_rated(data)
        outcome, references = _rated(rated, metrics, configs, options), _references(rated)
        outcome.result["corrections"] = correction_sections(data, metrics, configs, options)
    else:
        outcome, references = _rated(data, metrics, configs, options), _references(data)
    if with_sensitivity:
        outcome.result["sensitivity"] = sensitivity(references, metrics, configs, **options)
    if with_discrimination:
        outcome.result["discrimination"] = discrimination(metrics, configs, **options)
    provenance = {"seed": SEED, "resamples": RESAMPLES, "versions": versions(), "data": data.provenance}
    outcome.result.update(provenance)
    return outcome


def _rated(
    data: ExpertData, metrics: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> BenchResult:
    if not data.raters and "preferred" not in data.preference:
        raise InputError(f"the data has no expert numbers: give some of {', '.join((*MEASURES, 'preferred'))}")
    counting = "significant_errors" in data.raters and not COUNTING.keys().isdisjoint(metrics)
    scored = run_metrics(data.pairs, metrics, configs, {**options, "detailed": counting})
    results = values_of(scored, metrics)
    resamples = study_resamples(data.studies)
    rows, counts = agreement_rows(results, data, resamples), count_rows(results, data, resamples)
    result: dict[str, Any] = {
        name: {**rows[name], **({"counts": counts[name]} if name in counts else {}), **_facts(r)}
        for name, r in results.items()
    }
    result["experts"] = experts(data, resamples)
    if (gaps := rater_gaps(data)) is not None:
        result["experts"]["mae_significant_errors"] = gaps
    if raters := between_raters(data, resamples):
        result["raters"] = raters
    result["differences"] = differences(results, data)
    answers = answer_section(results, data, resamples, metrics, configs, options)
    published = [
        *beside_measured(scored, data, resamples),
        *counts_beside_measured(counts, scored, data.provenance),
        *answers_beside_measured(answers or {}, scored, data.provenance),
    ]
    sections = {
        "failure_modes": failure_modes(results, data),
        "answers": answers,
        "published": published or None,
    }
    result.update({name: section for name, section in sections.items() if section is not None})
    scores = {name: r.scores for name, r in results.items()}
    expert = {measure: data.expert(measure) for measure in data.raters}
    return BenchResult(result, scores, expert, tuple(scored.values()))


def _triads(
    data: TriadData, metrics: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> BenchResult:
    results = score_triads(data, metrics, configs, options)
    published = triads.beside_measured(results, data)
    rows = triad_rows(values_of(results, metrics), data)
    result = {**rows, **({"published": published} if published else {})}
    return BenchResult(result, metric_results=tuple(results.values()))


def _facts(result: ScoredValue) -> dict[str, Any]:
    return {
        "n": result.n,
        "unscored": result.unscored,
        "higher_is_better": result.higher_is_better,
        "signature": result.signature,
    }


def _references(data: ExpertData) -> list[str]:
    return [pair.reference for pair in data.pairs]
