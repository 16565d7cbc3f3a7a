"""What one visitor of the page works on: up to two uploaded tables, the estimates for them, and the scored result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from radeval_core.engine.devices import one_thread
from radeval_core.errors import InputError
from radeval_core.html_text import text
from radeval_core.io import PairColumns, Table, guess_columns, read_table
from radeval_core.pairs import Pair, is_blank
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.batch import MAX_BYTES, MAX_ROWS
from radeval_core.ui.file_page.comparison import comparison_section
from radeval_core.ui.file_page.overview import Overview, overview
from radeval_core.ui.file_page.run import ChosenFile, FileRun, Progress, SystemRun, score_files
from radeval_core.ui.file_page.timing import SAMPLE, about, measure
from radeval_core.ui.report.errors import JUDGES
from radeval_core.ui.uploads import read_once

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
#: characters in the cells of a file: a compressed Parquet file may be much larger than it looks
MAX_UNPACKED = 4 * MAX_BYTES
#: the choice of a column that a file may lack
ROW_NUMBERS = "(row numbers)"
#: metrics that are chosen at first: quick, and of different kinds
QUICK = ("bleu", "rouge", "chexbert_f1", "radgraph_f1", "green", "fineradscore", "crimson")
#: problems and characters that a page lists
_LISTED, _PREVIEW = 5, 220


def take_table(path: str | None) -> Table:
    """Read an upload and delete it."""
    if not path:
        raise InputError(f"no file: choose a file that ends in {', '.join(SUFFIXES)}")
    return read_once(Path(path), SUFFIXES, MAX_BYTES, lambda file: read_table(file, MAX_ROWS, MAX_UNPACKED))


def chosen_columns(prediction: str | None, reference: str | None, own: str | None) -> PairColumns:
    """Return the columns of the dropdowns."""
    return PairColumns(prediction or None, reference or None, None if own in (None, "", ROW_NUMBERS) else own)


def guessed_columns(table: Table) -> tuple[str | None, str | None, str]:
    """Return what the dropdowns show first for a table."""
    guess = guess_columns(table.columns)
    return guess.get("prediction"), guess.get("reference"), guess.get("id", ROW_NUMBERS)


@dataclass
class FileVisit:
    """The work of one visitor.

    Attributes:
        tables: the tables of the first and the second system; None if there is none.
        estimates: estimated seconds by metric.
        run: the scored result, or None.
        overviews: what the page shows of each system, by name; drawn when it is first shown.
    """

    tables: list[Table | None] = field(default_factory=lambda: [None, None])
    estimates: dict[str, float] = field(default_factory=dict)
    run: FileRun | None = None
    overviews: dict[str, Overview] = field(default_factory=dict)

    def files(self, columns: Sequence[PairColumns]) -> list[ChosenFile]:
        """Return the tables with their columns."""
        return [ChosenFile(table, own) for table, own in zip(self.tables, columns, strict=True) if table]

    def estimate(self, columns: Sequence[PairColumns]) -> None:
        """Measure how long each metric takes for the files; without usable columns there is no estimate."""
        try:
            pairs = [pair for file in self.files(columns) for pair in file.pairs()[0]]
        except InputError:
            pairs = []
        one_thread()
        self.estimates = measure(pairs, metric_names()) if pairs else {}

    def score(
        self, columns: Sequence[PairColumns], metrics: Sequence[str], leave_out: bool, progress: Progress
    ) -> FileRun:
        """Score the files."""
        files = self.files(columns)
        if not files or not self.tables[0]:
            raise InputError("no file to score: upload one first, or try the sample")
        known = [name for name in metric_names() if name in metrics]
        run = score_files(files, known, leave_out, progress)
        self.run, self.overviews = run, {}
        return run

    def overview(self, run: FileRun, system: SystemRun) -> Overview:
        """Return what the page shows of a system of the run."""
        if system.name not in self.overviews:
            compared = comparison_section(run.comparison) if run.comparison else ""
            self.overviews[system.name] = overview(system, compared)
        return self.overviews[system.name]

    @property
    def first_metric(self) -> str:
        """Return the metric that orders the cases at first: a judge, if one was chosen."""
        names = list(self.run.system(None).scores.results) if self.run else [""]
        return next((name for name in JUDGES if name in names), names[0])

    def search(self, system: str | None, words: str) -> list[int] | None:
        """Return the places of the pairs whose id or reports contain the words; None for all pairs."""
        wanted = words.strip().casefold()
        if not wanted or self.run is None:
            return None
        pairs = [one.pairs for one in self.run.systems.values()] if self.run.other else [self.run.system(system).pairs]
        return [i for i in range(len(pairs[0])) if any(wanted in _searched(own[i]) for own in pairs)]


def _searched(pair: Pair) -> str:
    return "\n".join((str(pair.id), pair.prediction, *pair.references)).casefold()


def metric_choices(estimates: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return the label and the name of each metric; one that runs an encoder, or takes a second, has its estimate."""
    choices = []
    for name in metric_names():
        seconds = estimates.get(name)
        encoder = get_spec(name).default_config.extra == "models"
        facts = ["encoder"] if encoder else []
        if seconds is not None and (encoder or seconds >= 1):
            facts.append(about(seconds))
        choices.append((f"{name} ({', '.join(facts)})" if facts else name, name))
    return choices


def total_words(estimates: Mapping[str, float], metrics: Sequence[str]) -> str:
    """Return how long the chosen metrics take together, in words."""
    count = f"{len(metrics)} metric{'' if len(metrics) == 1 else 's'} chosen"
    if not metrics:
        return "No metric is chosen: choose at least one."
    if not estimates:
        return f"{count}. Metrics that run an encoder are slower; upload a file to see how long they take."
    total = sum(estimates.get(name, 0.0) for name in metrics)
    return (
        f"{count}: {about(total)} for your file. This is an estimate, measured on up to {SAMPLE} of its pairs; metrics "
        "that share a model take less together."
    )


def describe(file: ChosenFile) -> str:
    """Return what a visitor should know about an uploaded file, as HTML: counts, problems, and the first pair."""
    table = file.table
    facts = [f"{len(table.rows):,} rows", f"{len(table.columns)} columns"]
    body, problems = "", list(table.refused)
    if file.columns.prediction and file.columns.reference:
        pairs, problems = file.pairs()
        empty = [sum(map(is_blank, texts)) for texts in ([p.prediction for p in pairs], [p.reference for p in pairs])]
        facts += [
            f"{n:,} empty {side}{'' if n == 1 else 's'}"
            for n, side in zip(empty, ("prediction", "reference"), strict=True)
            if n
        ]
        body = _first(pairs[0]) if pairs else ""
    else:
        missing = " and ".join(r for r in ("prediction", "reference") if not getattr(file.columns, r))
        body = f'<p class="fp-ask">Choose the column of the {missing}.</p>'
    notes = "".join(f'<p class="note">{text(note)}</p>' for note in table.notes)
    return (
        f'<div class="fp-file"><p><b><bdi>{text(table.name)}</bdi></b> · {" · ".join(facts)}</p>{notes}'
        f"{_problems(problems)}{body}</div>"
    )


def _first(pair: Pair) -> str:
    rows = (("Id", str(pair.id)), ("Prediction", pair.prediction), ("Reference", pair.reference))
    cells = "".join(f"<dt>{name}</dt><dd>{text(_shortened(words)) or '<i>(empty)</i>'}</dd>" for name, words in rows)
    return f'<p class="note">The first pair, as it will be scored:</p><dl class="fp-first">{cells}</dl>'


def _shortened(words: str) -> str:
    return words if len(words) <= _PREVIEW else f"{words[:_PREVIEW]} …"


def _problems(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    listed = "".join(f"<li>{text(problem)}</li>" for problem in problems[:_LISTED])
    more = f"<li>and {len(problems) - _LISTED:,} more</li>" if len(problems) > _LISTED else ""
    rows = f"{len(problems):,} row{' cannot' if len(problems) == 1 else 's cannot'} be read"
    return f'<div class="fp-problem"><b>{rows}</b><ul>{listed}{more}</ul></div>'
