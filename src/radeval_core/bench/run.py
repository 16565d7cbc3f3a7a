"""One benchmark from data and metrics to all of its sections: every pair is scored once, the rest is numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from radeval_core import api
from radeval_core.bench import triads
from radeval_core.bench.agreement import agreement_rows, differences, experts
from radeval_core.bench.correction_rows import CorrectionData
from radeval_core.bench.corrections import as_rated, correction_sections
from radeval_core.bench.counts import COUNTING, count_rows, rater_gaps
from radeval_core.bench.expert_data import MEASURES, ExpertData
from radeval_core.bench.failure_modes import failure_modes
from radeval_core.bench.provenance import versions
from radeval_core.bench.published import beside_measured, counts_beside_measured
from radeval_core.bench.sensitivity import sensitivity
from radeval_core.bench.sources import BenchData, TriadData
from radeval_core.bench.triads import score_triads, triad_rows
from radeval_core.errors import InputError
from radeval_core.scoring import MetricResult
from radeval_core.stats.agreement import Array, study_resamples
from radeval_core.stats.bootstrap import RESAMPLES, SEED


@dataclass(frozen=True)
class Outcome:
    """A benchmark's result, and the numbers its plots need.

    Attributes:
        result: all sections, ready for JSON.
        scores: by metric a score a pair.
        expert: by measure the experts' mean of each pair.
    """

    result: dict[str, Any]
    scores: dict[str, Array] = field(default_factory=dict)
    expert: dict[str, Array] = field(default_factory=dict)


def bench(
    data: BenchData,
    metrics: Sequence[str],
    configs: Mapping[str, str] | None = None,
    *,
    with_sensitivity: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """What metrics are worth on data, ready for JSON; every coefficient is positive if metric and experts agree.

    Args:
        data: what `open_data` reads: rated pairs, triads, or corrections.
        metrics: names of metrics.
        configs: config by metric, where not the default.
        with_sensitivity: also change the references and see how far each metric falls.
        options: further arguments of `api.score`, such as `device` or `cache`.

    Returns:
        By metric `{"kendall_errors": {"value", "ci95", "n"}, …, "preference_accuracy", "n", "unscored", "signature"}`
        for the measures the data has (for triads `accuracy` and `ties`), and sections over all metrics: `"experts"`,
        each rater against the others, the ceiling; `"differences"` of Kendall's tau between metrics, on the pairs that
        all of them scored; `"failure_modes"`, `"published"`, `"corrections"`, `"sensitivity"` where there are such;
        `"seed"`, `"resamples"`, `"versions"` and `"data"`, where the rows come from.
    """
    return run_bench(data, metrics, configs, with_sensitivity=with_sensitivity, **options).result


def run_bench(
    data: BenchData,
    metrics: Sequence[str],
    configs: Mapping[str, str] | None = None,
    *,
    with_sensitivity: bool = False,
    **options: Any,
) -> Outcome:
    """The same, with the per-pair numbers; arguments as for `bench`."""
    if isinstance(data, TriadData):
        outcome, references = _triads(data, metrics, configs, options), data.originals
    elif isinstance(data, CorrectionData):
        rated = as_rated(data)
        outcome, references = _rated(rated, metrics, configs, options), _references(rated)
        outcome.result["corrections"] = correction_sections(data, metrics, configs, options)
    else:
        outcome, references = _rated(data, metrics, configs, options), _references(data)
    if with_sensitivity:
        outcome.result["sensitivity"] = sensitivity(references, metrics, configs, **options)
    provenance = {"seed": SEED, "resamples": RESAMPLES, "versions": versions(), "data": data.provenance}
    outcome.result.update(provenance)
    return outcome


def _rated(
    data: ExpertData, metrics: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> Outcome:
    if not data.raters:
        raise InputError(f"no expert number in the data: give some of {', '.join(MEASURES)}")
    counting = "significant_errors" in data.raters and not COUNTING.keys().isdisjoint(metrics)
    results = api.score(data.pairs, metrics, configs, **{**options, "detailed": counting}).results
    resamples = study_resamples(data.studies)
    rows, counts = agreement_rows(results, data, resamples), count_rows(results, data, resamples)
    result: dict[str, Any] = {
        name: {**rows[name], **({"counts": counts[name]} if name in counts else {}), **_facts(r)}
        for name, r in results.items()
    }
    result["experts"] = experts(data, resamples)
    if (gaps := rater_gaps(data)) is not None:
        result["experts"]["mae_significant_errors"] = gaps
    result["differences"] = differences(results, data, resamples)
    published = beside_measured(results, data, resamples) + counts_beside_measured(counts, data.provenance)
    sections = {
        "failure_modes": failure_modes(results, data),
        "published": published or None,
    }
    result.update({name: section for name, section in sections.items() if section is not None})
    scores = {name: r.scores for name, r in results.items()}
    return Outcome(result, scores, {measure: data.expert(measure) for measure in data.raters})


def _triads(
    data: TriadData, metrics: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> Outcome:
    results = score_triads(data, metrics, configs, options)
    published = triads.beside_measured(results, data)
    return Outcome({**triad_rows(results, data), **({"published": published} if published else {})})


def _facts(result: MetricResult) -> dict[str, Any]:
    return {
        "n": result.n,
        "unscored": result.unscored,
        "higher_is_better": result.spec.higher_is_better,
        "signature": result.signature,
    }


def _references(data: ExpertData) -> list[str]:
    return [pair.reference for pair in data.pairs]
