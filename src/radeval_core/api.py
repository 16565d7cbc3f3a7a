"""The front door: load one metric, or score pairs with several. CLI, Spaces and leaderboard use it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.engine.cache import cache_from
from radeval_core.errors import InputError, says_what_to_install, unknown_name
from radeval_core.io import PairColumns, TablePairs, is_table
from radeval_core.metrics._coverage import LOW_COVERAGE
from radeval_core.metrics.base import Array, Resources, Scorer
from radeval_core.metrics.configs import checkpoint_config, resolve_config
from radeval_core.metrics.spec import MetricSpec
from radeval_core.pairs import Pair, pairs_from_lists, pairs_from_rows
from radeval_core.patient_context import CONTEXT_COLUMNS
from radeval_core.presets import Preset, get_preset
from radeval_core.registry import get_spec, metric_names, metric_options, scorer_class
from radeval_core.runner import MetricResult, run
from radeval_core.shown_values import ShownValue, metrics_of, shown_value
from radeval_core.spool import PairSpool

if TYPE_CHECKING:
    import pandas

    from radeval_core.annotators.sections import SectionCutter

log = logging.getLogger(__name__)
#: one YAML file, several, or none
LexiconFiles = str | Path | Sequence[str | Path] | None
_announced: set[str] = set()


@dataclass
class LoadedMetric:
    """One metric under one config, ready to score lists of reports repeatedly.

    It keeps the annotations of earlier calls, up to a limit, so references that come again cost nothing.
    """

    name: str
    config: str | None
    resources: Resources
    options: dict[str, Any]

    @property
    def spec(self) -> MetricSpec:
        return get_spec(self.name)

    def compute(
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        detailed: bool = False,
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> dict[str, Any]:
        """Score parallel lists and return plain Python values, as `evaluate` does.

        Args:
            predictions: the generated reports.
            references: what each is compared with.
            detailed: also return the structures behind each score.
            contexts: what is known about each patient: mappings with `age`, `sex`, `indication`, `history`, or None.
                Metrics that do not use it ignore it.
        """
        several = self.spec.multi_reference
        pairs = pairs_from_lists(predictions, references, self.name, several, contexts=contexts)
        return self.score_pairs(pairs, detailed)

    def score_pairs(self, pairs: Sequence[Pair], detailed: bool = False) -> dict[str, Any]:
        """Score pairs that are already checked and return plain Python values."""
        scorer = make_scorer(self.name, self.config, self.resources, self.options)
        check_lexicon([scorer])
        cutter = self.resources.cutter
        if cutter:
            pairs = list(cutter.pairs(pairs))
        with says_what_to_install(f"config {scorer.config.name!r} of {self.name}"):
            _, results = run(lambda: pairs, [scorer], detailed)
        return plain_result(results[self.name]) | (cutter.counts() if cutter else {})


@dataclass
class Scores:
    """The result of `score`.

    Attributes:
        ids: ids of the pairs, in the order of the input.
        results: the result of each metric, by name.
        shown: the numbers that `table` returns: the headlines, or those of a preset.
        section: the section that was scored, with the number of reports without it; empty for whole reports.
    """

    ids: list[str | int]
    results: dict[str, MetricResult]
    shown: tuple[ShownValue, ...] = ()
    section: dict[str, Any] = field(default_factory=dict)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per pair, `{"id", "scores": {name: float or None}}`, in the order of the input.

        If a metric uses the findings parser, each row also has `"coverage"`: the share it understood of the pair.
        """
        columns = {
            (key if key == name else f"{name}.{key}"): column
            for name, result in self.results.items()
            for key, column in result.values.items()
        }
        coverage = self.coverage
        for i, row_id in enumerate(self.ids):
            row = {"id": row_id, "scores": {key: _or_none(float(column[i])) for key, column in columns.items()}}
            yield row if coverage is None else {**row, "coverage": float(coverage[i])}

    @property
    def coverage(self) -> Array | None:
        """Return the coverage of each pair, the same for all metrics that use the findings parser; None without one."""
        return next((r.coverage for r in self.results.values() if r.coverage is not None), None)

    def summary(self, intervals: bool = True) -> dict[str, dict[str, Any]]:
        """Return headline, interval, counts, direction and signature of each metric, ready for JSON.

        Args:
            intervals: compute the 95 % intervals, which takes milliseconds per metric; else they are None.
        """
        out: dict[str, dict[str, Any]] = {}
        for name, r in self.results.items():
            interval = r.ci95() if intervals else None
            out[name] = {
                "score": _or_none(r.score),
                "ci95": list(interval) if interval else None,
                "n": r.n,
                "unscored": r.unscored,
                **r.failure_fields,
                "higher_is_better": r.spec.higher_is_better,
                "signature": r.signature,
                **({} if r.coverage is None else {"coverage": coverage_summary(r.coverage)}),
                **{key: _or_none(value) for key, value in r.extras.items()},
                **r.report,
                **self.section,
            }
        return out

    def table(self) -> dict[str, dict[str, Any]]:
        """Return the numbers to show, by name: the headlines, or those of a preset.

        Each has score, interval, counts, direction, signature and `source` (metric or metric.part). Those of a preset
        have `comparable` too: whether the number can be compared with the published table.
        """
        return {value.name: {**value.row(self.results[value.metric]), **self.section} for value in self.shown}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a DataFrame with one row per pair: `id`, then a column per value, such as `green` or `bleu.bleu_2`."""
        import pandas

        rows = [{**{key: row[key] for key in row if key != "scores"}, **row["scores"]} for row in self.rows()]
        frame = pandas.DataFrame(rows)
        numbers = [name for name in frame.columns if name != "id"]
        return frame.astype(dict.fromkeys(numbers, "float64"))


def load(
    name: str,
    config: str | None = None,
    *,
    device: str | None = None,
    batch_tokens: int | None = None,
    cache: str | Path | None = None,
    progress: bool = True,
    lexicon: LexiconFiles = None,
    section: str | None = None,
    **options: Any,
) -> LoadedMetric:
    """Load a metric.

    Args:
        name: a metric, see `metric_names()`.
        config: one of its configs, or a Hub id or folder if it takes checkpoints; embedded by default.
        device: `cuda`, `mps` or `cpu`; chosen if not given.
        batch_tokens: token budget of a batch.
        cache: folder of the annotation cache; also taken from the environment variable RADEVAL_CACHE.
        progress: show progress bars on a terminal.
        lexicon: optional YAML file, or list of files, with further findings or regions for the findings parser.
        section: score only this section of the reports: findings, impression or both; whole reports if not given.
        options: options of the metric.
    """
    resources = make_resources(device, batch_tokens, cache, progress, lexicon, section)
    spec = get_spec(name)
    chosen, _ = resolve_config(spec, config)
    check_options(name, options)
    if resources.lexicon:
        check_lexicon([make_scorer(name, config, resources, options)])
    if not options.get("checkpoint"):
        announce(spec, chosen.name)
    return LoadedMetric(name, config, resources, options)


def score(
    pairs: Iterable[Pair | Mapping[str, Any] | tuple[str, str]] | pandas.DataFrame,
    metrics: Sequence[str] | None = None,
    configs: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    device: str | None = None,
    batch_tokens: int | None = None,
    cache: str | Path | None = None,
    detailed: bool = False,
    progress: bool = False,
    total: int | None = None,
    chunk_pairs: int | None = None,
    lexicon: LexiconFiles = None,
    section: str | None = None,
    preset: str | Preset | None = None,
    published: bool = False,
    prediction_column: str | None = None,
    reference_column: str | None = None,
    id_column: str | None = None,
    on_details: Callable[[dict[str, Any]], None] | None = None,
    contexts: Sequence[Mapping[str, Any] | None] | None = None,
) -> Scores:
    """Score pairs with several metrics in one pass, annotating each text once.

    Args:
        pairs: Pairs, dicts with `prediction`, `reference` and an optional `id`, or (prediction, reference); or a
            DataFrame or a Dataset with such columns. Metrics that use the patient's context read it from the keys
            or columns `age`, `sex`, `indication`, `history`. Read in chunks. Metrics that need all references first
            read the pairs twice, so give them something that can be read twice: a list, a file reader, a Dataset.
        metrics: names of metrics; not needed with a preset.
        configs: config by metric; the default if not given.
        options: options by metric.
        device: `cuda`, `mps` or `cpu`; chosen if not given.
        batch_tokens: token budget of a batch.
        cache: folder of the annotation cache; also taken from the environment variable RADEVAL_CACHE.
        detailed: keep the structures behind each score.
        progress: show progress bars on a terminal.
        total: number of pairs, for the progress bar.
        chunk_pairs: largest number of pairs to read at once.
        lexicon: optional YAML file, or list of files, with further findings or regions for the findings parser.
        section: score only this section of the reports: findings, impression or both; whole reports if not given.
        preset: name of a published table, see `radeval_core.presets`: its numbers, with its options.
        published: run the preset with the published checkpoints that its source used.
        prediction_column: column of the generated reports in a DataFrame or Dataset.
        reference_column: column of the reference reports.
        id_column: column of the ids; without one, the index of a DataFrame gives them.
        on_details: called once per pair, in order, with `{"id", "details": {metric: {...}}}`: the structures behind
            each score. They are not kept, so a large file needs little memory.
        contexts: what is known about the patient of each pair, in order: a mapping with `age`, `sex`, `indication`,
            `history`, or None; instead of keys or columns of the pairs. Metrics that do not use it ignore it.
    """
    shown, configs, options = chosen_values(metrics, preset, published, configs, options)
    names = metrics_of(shown)
    check_settings(names, configs, options)
    if isinstance(pairs, PairSpool):  # its reports were cut when it was filled
        section = pairs.section(section)
    resources = make_resources(device, batch_tokens, cache, progress, lexicon, section)
    scorers = [make_scorer(n, configs.get(n), resources, dict(options.get(n, {}))) for n in names]
    check_lexicon(scorers)
    for scorer in scorers:
        scorer.warm_up()
        announce(scorer.spec, scorer.config.name)
    columns = PairColumns(prediction_column, reference_column, id_column)
    read = tuple(dict.fromkeys(column for s in scorers for column in s.columns if column in CONTEXT_COLUMNS))
    source = _readable(pairs, columns, [s.spec.name for s in scorers if s.two_pass], read if contexts is None else ())
    multi = {n: get_spec(n).multi_reference for n in names}
    rows: Callable[[], Iterable[Pair]] = partial(pairs_from_rows, source, multi, read, contexts)
    cutter = resources.cutter
    if isinstance(source, PairSpool) and contexts is None:  # its pairs were checked when it was filled
        source.check_references(multi)
        rows, cutter = source.__iter__, source.cutter
    elif cutter:
        rows = partial(_cut_pairs, cutter, rows)
    ids, results = run(rows, scorers, detailed, total, progress, chunk_pairs, on_details)
    return Scores(ids, results, shown, cutter.counts() if cutter else {})


def chosen_values(
    metrics: Sequence[str] | None,
    preset: str | Preset | None,
    published: bool,
    configs: Mapping[str, str] | None,
    options: Mapping[str, Mapping[str, Any]] | None,
) -> tuple[tuple[ShownValue, ...], Mapping[str, str], Mapping[str, Mapping[str, Any]]]:
    """Return the numbers to show, and configs and options by metric: those of the preset, if there is one."""
    if preset is not None:
        if metrics:
            raise InputError("give metrics or a preset, not both: a preset names its metrics")
        chosen = preset if isinstance(preset, Preset) else get_preset(preset)
        return chosen.settings(configs, options, published)
    if published:
        raise InputError("published is for a preset: choose published checkpoints with configs")
    if isinstance(metrics, str) or not metrics:
        raise InputError(f"metrics must be a list with at least one of: {', '.join(metric_names())}")
    return tuple(shown_value(name) for name in dict.fromkeys(metrics)), configs or {}, options or {}


def _readable(pairs: Any, columns: PairColumns, two_pass: Sequence[str], further: tuple[str, ...]) -> Any:
    """Return the pairs, with the columns of a table found; refuse what must be read twice and cannot be."""
    if is_table(pairs):
        return TablePairs(pairs, columns, further)
    if columns != PairColumns():
        raise InputError("prediction_column and the like are for a DataFrame or a Dataset")
    if two_pass and iter(pairs) is pairs:
        raise InputError(
            f"{', '.join(two_pass)} must read the pairs twice, but they can be read only once: give a list, or a corpus"
        )
    return pairs


def _cut_pairs(cutter: SectionCutter, rows: Callable[[], Iterable[Pair]]) -> Iterator[Pair]:
    return cutter.pairs(rows())


def columns_read(
    metrics: Sequence[str],
    configs: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[str, ...]:
    """Return the columns that metrics read besides the reports, such as `boxes`; arguments as for `score`."""
    resources = make_resources(progress=False)
    scorers = [make_scorer(n, (configs or {}).get(n), resources, dict((options or {}).get(n, {}))) for n in metrics]
    return tuple(dict.fromkeys(column for scorer in scorers for column in scorer.columns))


def make_resources(
    device: str | None = None,
    batch_tokens: int | None = None,
    cache: str | Path | None = None,
    progress: bool = True,
    lexicon: LexiconFiles = None,
    section: str | None = None,
) -> Resources:
    """Return what the scorers of one run share."""
    files = (lexicon,) if isinstance(lexicon, (str, Path)) else tuple(lexicon or ())
    resources = Resources(AnnotationStore(cache_from(cache)), device, batch_tokens, progress, files, section or "")
    _ = resources.cutter  # a wrong section fails before the first pair is read
    return resources


def check_lexicon(scorers: Sequence[Scorer]) -> None:
    """Load the lexicon the user gave, and refuse one that no metric would read."""
    files = scorers[0].resources.lexicon
    if files and not any(scorer.reads_findings for scorer in scorers):
        names = ", ".join(scorer.spec.name for scorer in scorers)
        raise InputError(f"lexicon is for metrics that read findings with our parser: {names} does not")
    if files:
        _ = scorers[0].resources.reader


def make_scorer(name: str, config: str | None, resources: Resources, options: dict[str, Any]) -> Scorer:
    """Return a new scorer: corpus statistics of an earlier call never leak into the next."""
    check_options(name, options)
    options = dict(options)
    spec = get_spec(name)
    checkpoint = options.pop("checkpoint", None)
    if checkpoint:
        chosen = checkpoint_config(spec, str(checkpoint))
    else:
        chosen, checkpoint = resolve_config(spec, config)
    return scorer_class(name)(chosen, resources, checkpoint and str(checkpoint), **options)


def check_settings(names: Sequence[str], configs: Iterable[str], options: Iterable[str]) -> None:
    """Refuse configs and options of a metric that is not among the metrics to run."""
    for name in (*configs, *options):
        if name not in names:
            raise InputError(f"a config or option is given for {name!r}, which is not among the metrics: {names}")


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse an option the metric does not take."""
    known = list(metric_options(name))
    for option in options:
        if option not in known:
            raise unknown_name(f"option of {name}", option, known or ["(none)"])


def announce(spec: MetricSpec, config: str) -> None:
    """Log once per metric which published checkpoint gives scores comparable with papers."""
    published = spec.published
    if published and config == spec.default_config.name and spec.name not in _announced:
        _announced.add(spec.name)
        log.warning(
            "%s: using config '%s' (%s). For numbers comparable with papers use config '%s'.",
            spec.name,
            config,
            spec.default_config.about,
            published.name,
        )


def plain_result(result: MetricResult) -> dict[str, Any]:
    """Return a result as plain Python values: headline, per-pair scores, signature, extras."""
    out: dict[str, Any] = {
        result.spec.name: result.score,
        "scores": result.scores.tolist(),
        **result.extras,
        **{f"{part}_scores": result.values[part].tolist() for part in result.spec.parts},
        "unscored": result.unscored,
        **result.failure_fields,
        "signature": result.signature,
        **({} if result.coverage is None else {"coverage": result.coverage.tolist()}),
        **result.report,
    }
    if result.details is not None:
        out["details"] = result.details
    return out


def coverage_summary(coverage: Array) -> dict[str, float | int]:
    """Return the mean coverage of the pairs, and how many are below the share that is low for English reports."""
    return {"mean": float(coverage.mean()), "low": int((coverage < LOW_COVERAGE).sum()), "low_below": LOW_COVERAGE}


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
