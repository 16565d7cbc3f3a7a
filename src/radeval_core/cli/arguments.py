"""Arguments that several commands share, and functions that read them."""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from radeval_core.errors import InputError, is_installed, needs_extra, unknown_name

if TYPE_CHECKING:  # reading files needs packages that `radeval --help` does not
    from radeval_core.io import PairColumns, ReportColumns
    from radeval_core.presets import Preset
    from radeval_core.shown_values import ShownValue

log = logging.getLogger(__name__)
#: the tables that every command reads, for help texts
TABLES = "JSONL, JSON, CSV, TSV (each also .gz) or Parquet"


def add_command(
    commands: Any,
    name: str,
    about: str,
    epilog: str | None = None,
    common: argparse.ArgumentParser | None = None,
    description: str | None = None,
) -> argparse.ArgumentParser:
    """Add a command whose help keeps the line breaks of its examples.

    Args:
        commands: the group to add it to.
        name: the command's name.
        about: one line for the list of commands; also the description by default.
        epilog: text below its options.
        common: parser with the options of every command.
        description: text above its options.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        parents=[common] if common else [],
        help=about,
        description=description or f"{about[0].upper()}{about[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_data_options(command: argparse.ArgumentParser) -> None:
    """Add the options that choose data with expert numbers."""
    command.add_argument(
        "--data",
        required=True,
        metavar="DATA",
        help="a .jsonl file as below, a dataset (`radeval data list`), or its folder",
    )
    command.add_argument("--data-config", metavar="NAME", help="config of a built dataset")
    command.add_argument("--split", metavar="NAME", help="split of a built dataset")


def add_model_options(command: argparse.ArgumentParser) -> None:
    """Add the options of commands that may run a model."""
    command.add_argument("--device", help="cuda, cuda:N, mps or cpu; the best one by default")
    command.add_argument(
        "--cache",
        metavar="DIR",
        help="keep annotations between runs, encrypted (also: environment variable RADEVAL_CACHE)",
    )


def add_lexicon_option(command: argparse.ArgumentParser) -> None:
    """Add the option that extends the lexicon of the findings parser."""
    command.add_argument(
        "--lexicon",
        action="append",
        default=[],
        metavar="FILE.yaml",
        help="add findings or regions to the findings parser; may be repeated",
    )


def add_metric_options(command: argparse.ArgumentParser, parts: bool = False, required: bool = True) -> None:
    """Add the options that choose metrics and their configs.

    Args:
        command: the command.
        parts: METRIC.PART is accepted too.
        required: the metrics must be named; else they may come from a preset.
    """
    also = ", parts such as green.error_count" if parts else ""
    command.add_argument(
        "--metrics", required=required, help=f"comma-separated names{also}, or `all`; see `radeval metrics`"
    )
    command.add_argument(
        "--config",
        action="append",
        default=[],
        metavar="METRIC=CONFIG",
        help="a config, a Hub id or a folder for a metric; may be repeated",
    )


def add_preset_options(command: argparse.ArgumentParser) -> None:
    """Add the options that choose the numbers of a published table instead of metrics."""
    command.add_argument(
        "--preset",
        metavar="NAME",
        help="the numbers of a published table, under its names and with its settings, instead of --metrics: "
        "rexrank, green-paper, radcliq-paper, chexbert-14, chexbert-5 or iu-xray",
    )
    command.add_argument(
        "--published",
        action="store_true",
        help="run a preset with the published checkpoints its source used, for comparable numbers; they are downloaded",
    )


def preset_of(args: argparse.Namespace) -> Preset | None:
    """Return the preset the user chose; refuse a choice of both metrics and a preset, or of neither."""
    from radeval_core.presets import get_preset, preset_names

    if args.preset and args.metrics:
        raise InputError("give --metrics or --preset, not both: a preset names its metrics")
    if not args.preset and args.metrics is None:
        raise InputError(f"give --metrics NAMES (see `radeval metrics`), or --preset {'|'.join(preset_names())}")
    if args.published and not args.preset:
        raise InputError("--published is for a --preset: choose published checkpoints with --config METRIC=CONFIG")
    return get_preset(args.preset) if args.preset else None


def preset_notes(preset: Preset | None, values: Sequence[ShownValue]) -> list[str]:
    """Return what to say about the numbers of a preset."""
    if preset is None:
        return []
    notes = [f"preset {preset.name}: {preset.about}; source: {preset.source}", preset.warning(values), *preset.notes]
    return [note for note in notes if note]


def add_option_option(command: argparse.ArgumentParser) -> None:
    """Add the option that sets options of metrics."""
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="METRIC.NAME=VALUE",
        help="an option of a metric, e.g. bertscore.idf=true; may be repeated",
    )


def add_section_option(command: argparse.ArgumentParser) -> None:
    """Add the option that scores one section of the reports."""
    command.add_argument(
        "--section",
        metavar="SECTION",
        help="score only this section: findings, impression or both. A report without headings is taken whole; "
        "a report with headings but without the section is empty, and counted",
    )


def add_pair_column_options(command: argparse.ArgumentParser) -> None:
    """Add the options that name the columns of files of pairs."""
    command.add_argument("--prediction-column", metavar="NAME", help="column of the generated reports")
    command.add_argument("--reference-column", metavar="NAME", help="column of the reference reports")
    command.add_argument("--id-column", metavar="NAME", help="column of the ids")


def pair_columns_of(args: argparse.Namespace) -> PairColumns:
    """Return the columns of pairs that the user named."""
    from radeval_core.io import PairColumns

    return PairColumns(args.prediction_column, args.reference_column, args.id_column)


def add_report_column_options(command: argparse.ArgumentParser) -> None:
    """Add the options that name the columns of files of single reports."""
    command.add_argument("--text-column", metavar="NAME", help="column of the reports; text or report by default")
    command.add_argument("--id-column", metavar="NAME", help="column of the ids")


def report_columns_of(args: argparse.Namespace) -> ReportColumns:
    """Return the columns of single reports that the user named."""
    from radeval_core.io import ReportColumns

    return ReportColumns(args.text_column, args.id_column)


def metric_list(text: str, parts: bool = False) -> list[str]:
    """Return the metrics of a comma-separated list, without repetitions.

    Args:
        text: the list, or `all` for every metric.
        parts: also accept METRIC.PART, such as `green.error_count`.
    """
    from radeval_core.registry import metric_names
    from radeval_core.shown_values import shown_value

    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["all"]:
        return _installed_metrics()
    if not names:
        raise InputError(f"no metric given; available: {', '.join(metric_names())}")
    for name in names:
        if parts and "." in name:
            shown_value(name)
        elif name not in metric_names():
            raise unknown_name("metric", name, [*metric_names(), "all"])
    return list(dict.fromkeys(names))


def _installed_metrics() -> list[str]:
    """Return every metric whose default config can run here, and say which ones cannot."""
    from radeval_core.registry import get_spec, metric_names

    extras = {name: get_spec(name).default_config.extra for name in metric_names()}
    missing = {extra for extra in extras.values() if not is_installed(extra)}
    for extra in sorted(missing):
        skipped = ", ".join(name for name in extras if extras[name] == extra)
        log.warning("not scored: %s. %s", skipped, needs_extra(extra, "their default config"))
    return [name for name in extras if extras[name] not in missing]


def input_files(args: argparse.Namespace) -> list[str]:
    """Return what a command reads, as far as it can be a file: no output may have its name."""
    single = ("pairs", "predictions", "references", "reports", "corpus", "outputs", "source", "data")
    named = [getattr(args, name, None) for name in single] + list(getattr(args, "lexicon", ()))
    assigned = [*getattr(args, "systems", ()), *getattr(args, "option", ())]
    config = getattr(args, "config", None)
    assigned += config if isinstance(config, list) else [config or ""]
    return [text for text in named if text] + [
        part for text in assigned for part in (text, text.partition("=")[2]) if part
    ]


def assignment(text: str, form: str) -> tuple[str, str]:
    """Return both sides of `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not key or not equals or not value:
        raise InputError(f"expected {form}, got {text!r}")
    return key, value


def configs_of(args: argparse.Namespace) -> dict[str, str]:
    """Return the config of each metric that `--config` names."""
    return dict(assignment(text, "--config METRIC=CONFIG") for text in args.config)


def options_of(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the options of each metric that `--option` names."""
    options: dict[str, dict[str, Any]] = {}
    for text in args.option:
        key, value = assignment(text, "--option METRIC.NAME=VALUE")
        metric, _, option = key.partition(".")
        options.setdefault(metric, {})[option] = _value(value)
    return options


def _value(text: str) -> Any:
    """Return an option's value: parsed if it is JSON (true, 9, [...]), else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or a number that Python does not read
        return text
