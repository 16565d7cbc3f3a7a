"""`radeval metrics`: list the metrics, or describe one."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from radeval_core.cli.tables import print_table, width

if TYPE_CHECKING:
    from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec

#: extras of the backends that run a model on this machine; the others are clients of a server
_BACKEND_EXTRAS = {"transformers": "models", "vllm": "vllm"}


def add_metrics_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add the command."""
    metrics = commands.add_parser(
        "metrics",
        parents=[common],
        help="list the metrics, or describe one",
        description="List the metrics: what each measures, its range, configs and needs. With a NAME, describe that "
        "metric: range, direction, rule for empty reports, configs, parts, options, papers.",
    )
    metrics.set_defaults(run=_metrics)
    metrics.add_argument("name", nargs="?", metavar="NAME", help="a metric")


def _metrics(args: argparse.Namespace) -> int:
    from radeval_core.registry import get_spec, metric_names

    specs = [get_spec(name) for name in ([args.name] if args.name else metric_names())]
    if args.json:
        print(json.dumps({spec.name: _facts(spec) for spec in specs}))
    elif args.name:
        _describe(specs[0])
    else:
        _list(specs)
    return 0


def _facts(spec: MetricSpec) -> dict[str, Any]:
    """Return the declared facts of a metric as plain values."""
    from radeval_core.metric_help import compute_options

    return {
        "measures": spec.measures,
        "range": list(spec.bounds),
        "higher_is_better": spec.higher_is_better,
        "identity": spec.identity,
        "empty": asdict(spec.empty),
        "symmetric": spec.symmetric,
        "configs": {config.name: config.about for config in spec.configs},
        "takes_checkpoint": spec.takes_checkpoint,
        "backends": list(spec.backends),
        "multi_reference": spec.multi_reference,
        "parts": {name: asdict(part) for name, part in spec.parts.items()},
        "options": {
            name: {
                "type": option.type.__name__,
                "default": option.default,
                "choices": list(option.choices),
                "about": option.about,
            }
            for name, option in compute_options(spec.name).items()
        },
        "urls": list(spec.urls),
        "version": spec.version,
    }


def _list(specs: list[MetricSpec]) -> None:
    """Print one line per config of each metric."""
    rows = []
    for spec in specs:
        for i, (config, about, needs) in enumerate(_config_rows(spec)):
            first = [spec.name, spec.measures, spec.range_text, spec.arrow] if i == 0 else [""] * 4
            rows.append([*first, f"{config}: {about}" if about else config, needs])
    print_table(["metric", "measures", "range", "better", "configs (default first)", "needs"], rows)


def _describe(spec: MetricSpec) -> None:
    """Print all declared facts of one metric."""
    from radeval_core.metric_help import compute_options, value_text

    print(f"{spec.name} (version {spec.version}): {spec.measures}\n")
    _print_columns(
        [
            ["range", f"{spec.range_text}; {'higher' if spec.higher_is_better else 'lower'} is better {spec.arrow}"],
            ["identical reports", f"{spec.identity:g}"],
            ["empty reports", _empty_text(spec.empty)],
            ["symmetric", "yes" if spec.symmetric else "no: prediction and reference cannot be swapped"],
            ["references", "one or several per pair" if spec.multi_reference else "one per pair"],
            ["headline", "computed over the corpus" if spec.corpus_headline else "mean over the pairs"],
            ["parts", "" if spec.parts else "none"],
        ]
    )
    _print_columns(
        [
            ["", f"{spec.name}.{name}", "higher is better" if part.higher_is_better else "lower is better", part.about]
            for name, part in spec.parts.items()
        ]
    )
    print(f"\nconfigs, the default first; choose with --config {spec.name}=CONFIG or evaluate.load(…, CONFIG)")
    _print_columns([["", *row] for row in _config_rows(spec)])
    print(f"\noptions of compute; on the command line --option {spec.name}.NAME=VALUE")
    print("(detailed is --details FILE there; device, batch_tokens, cache and lexicon are --device, --batch-tokens, …)")
    _print_columns(
        [["", name, value_text(option), option.about] for name, option in compute_options(spec.name).items()]
    )
    print("\npapers and sources")
    _print_columns([["", url] for url in spec.urls])


def _empty_text(rule: EmptyRule) -> str:
    least = "at least " if rule.at_least else ""
    one = f"prediction {least}{rule.prediction:g}, reference {least}{rule.reference:g}"
    return f"{one}, both {rule.both:g} ({rule.why})"


def _config_rows(spec: MetricSpec) -> list[list[str]]:
    """Return name, description and needs of every way to run a metric."""
    rows = [[config.name, config.about, _needs(config)] for config in spec.configs]
    if spec.takes_checkpoint:
        rows.append(["any Hub id or folder", "", "radeval_core[models]"])
    rows += [
        [f"{backend}:MODEL", "", f"radeval_core[{_BACKEND_EXTRAS.get(backend, 'judges')}]"] for backend in spec.backends
    ]
    return rows


def _needs(config: Config) -> str:
    needs = f"radeval_core[{config.extra}]" if config.extra else "nothing more"
    return f"{needs}, downloads weights" if config.checkpoint else needs


def _print_columns(rows: list[list[str]]) -> None:
    """Print rows as aligned columns without lines; long cells wrap."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for row in rows:
        table.add_row(*map(Text, row))  # Text: rich must not read a cell as markup
    console = Console(width=width())
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        print(line.rstrip())
