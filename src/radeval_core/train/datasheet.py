"""The datasheet of a training file: `FILE.json` and `FILE.md` beside it, every number counted in the file."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from radeval_core import __version__
from radeval_core.errors import InputError
from radeval_core.io import check_output, write_text
from radeval_core.train.answer_forms import FORMS
from radeval_core.train.rows import SPLITS, TrainingRow

#: first key of a datasheet, by which ours are recognised
_MARK = "radeval_datasheet"
_VERSION = 1


@dataclass(frozen=True)
class Making:
    """How a training file was made, besides its rows.

    Attributes:
        command: `annotate` or `inject`.
        sources: the files that were read.
        options: the options that can change the rows, with their values.
        teachers: signatures of the judges, the one that gave the answers first.
        terms: licence or terms of use, as the user states them.
        limits: what the data teaches, and what it does not.
        dropped: number of pairs without a row, by reason.
        disagreements: what two teachers said about the same pairs; empty with one.
    """

    command: str
    sources: Sequence[Path]
    options: Mapping[str, Any]
    teachers: Sequence[str]
    terms: str
    limits: Sequence[str]
    dropped: Mapping[str, int] = field(default_factory=dict)
    disagreements: Mapping[str, Any] = field(default_factory=dict)


def sheet_paths(out: Path, inputs: Iterable[str | Path | None] = ()) -> tuple[Path, Path]:
    """Return where the datasheet of a training file is written, as JSON and as text; refuse files of someone else."""
    data, text = out.with_suffix(".json"), out.with_suffix(".md")
    if not _is_ours(data):
        for path in (data, text):
            if path.exists():
                raise InputError(f"--out {out}: its datasheet would replace {path}: give another name")
    given = list(inputs)
    return check_output(data, (".json",), inputs=given), check_output(text, (".md",), inputs=given)


def write_datasheet(
    out: Path, rows: Sequence[TrainingRow], making: Making, tokens: Callable[[str], int] | None = None
) -> dict[str, Any]:
    """Write the datasheet of a training file that is already written, and return it.

    Args:
        out: the training file.
        rows: its rows.
        making: how it was made.
        tokens: returns the number of tokens of a text, if a tokenizer is given.
    """
    sheet = describe(out, rows, making, tokens)
    write_text(out.with_suffix(".json"), json.dumps(sheet, indent=1, ensure_ascii=False) + "\n")
    write_text(out.with_suffix(".md"), as_markdown(sheet))
    return sheet


def describe(
    out: Path, rows: Sequence[TrainingRow], making: Making, tokens: Callable[[str], int] | None = None
) -> dict[str, Any]:
    """Return the datasheet of a training file as plain values."""
    metric = rows[0].metric
    return {
        _MARK: _VERSION,
        "radeval": __version__,
        "command": making.command,
        "file": {"name": out.name, "sha256": sha256_of(out)},
        "sources": [{"name": path.name, "sha256": sha256_of(path)} for path in making.sources],
        "options": dict(making.options),
        "metric": metric,
        "teachers": list(making.teachers),
        "terms": making.terms,
        "rows": len(rows),
        "studies": len({row.study for row in rows}),
        "splits": {split: _split(rows, split) for split in SPLITS},
        "heuristics": _heuristics(rows),
        "categories": {name: _category(rows, name) for name in FORMS[metric].categories},
        "errors_per_row": _histogram(row.counts.errors for row in rows),
        "matched_per_row": _histogram(row.counts.matched for row in rows if row.counts.matched is not None),
        "words": _lengths(rows, lambda text: len(text.split())),
        "tokens": _lengths(rows, tokens) if tokens else {},
        "dropped": dict(sorted(making.dropped.items())),
        "disagreements": dict(making.disagreements),
        "limits": list(making.limits),
    }


def as_markdown(sheet: Mapping[str, Any]) -> str:
    """Return a datasheet as text."""
    sources = ", ".join(f"`{s['name']}` (sha256 {s['sha256'][:12]})" for s in sheet["sources"])
    facts = {
        "made by": f"`radeval train {sheet['command']}` of radeval {sheet['radeval']}",
        "sha256": sheet["file"]["sha256"],
        "source": sources,
        "options": ", ".join(f"{name} {value}" for name, value in sheet["options"].items()),
        "metric": sheet["metric"],
        "answers from": "; ".join(sheet["teachers"]),
        "terms": sheet["terms"],
        "rows": f"{sheet['rows']} of {sheet['studies']} studies",
    }
    parts = [
        f"# Datasheet of {sheet['file']['name']}",
        _table(("", ""), facts.items()),
        "## Splits\n\nNo study is in two splits.",
        _table(("split", "rows", "studies"), ((n, s["rows"], s["studies"]) for n, s in sheet["splits"].items())),
        "## Errors",
        _table(
            ("category", "significant", "insignificant", "rows with one"),
            ((n, c["significant"], c["insignificant"], c["rows"]) for n, c in sheet["categories"].items()),
        ),
        _table(("errors in a row", "rows"), sheet["errors_per_row"].items()),
    ]
    if sheet["matched_per_row"]:
        parts.append(_table(("matched findings in a row", "rows"), sheet["matched_per_row"].items()))
    parts += [
        "## Candidates",
        _table(("how the candidate was made (several ways count in each)", "rows"), sheet["heuristics"].items()),
    ]
    for unit in ("words", "tokens"):
        if sheet[unit]:
            columns = ("mean", "median", "longest")
            rows = ((name, *(found[column] for column in columns)) for name, found in sheet[unit].items())
            parts += [f"## Lengths in {unit}", _table(("text", *columns), rows)]
    parts.append("## Dropped pairs")
    parts.append(_table(("reason", "pairs"), sheet["dropped"].items()) if sheet["dropped"] else "None.")
    if found := sheet["disagreements"]:
        parts += ["## Disagreements of the teachers", *_disagreements(found)]
    parts += ["## What this teaches, and what not", "\n".join(f"- {limit}" for limit in sheet["limits"])]
    return "\n\n".join(parts) + "\n"


def sha256_of(path: Path) -> str:
    """Return the hash of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_ours(path: Path) -> bool:
    try:
        return _MARK in json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, TypeError, RecursionError):
        return False


def _split(rows: Sequence[TrainingRow], split: str) -> dict[str, int]:
    found = [row.study for row in rows if row.split == split]
    return {"rows": len(found), "studies": len(set(found))}


def _heuristics(rows: Sequence[TrainingRow]) -> dict[str, int]:
    """Return the number of rows with each heuristic or change; a row with `side+order` has two."""
    found = Counter(part for row in rows for part in set((row.heuristic or "not stated").split("+")))
    return dict(sorted(found.items()))


def _category(rows: Sequence[TrainingRow], name: str) -> dict[str, int]:
    kinds = {
        kind: [getattr(row.counts, kind).get(name, 0) for row in rows] for kind in ("significant", "insignificant")
    }
    either = sum(any(pair) for pair in zip(*kinds.values(), strict=True))
    return {**{kind: sum(found) for kind, found in kinds.items()}, "rows": either}


def _histogram(values: Iterable[int]) -> dict[str, int]:
    return {str(value): count for value, count in sorted(Counter(values).items())}


def _lengths(rows: Sequence[TrainingRow], measure: Callable[[str], int]) -> dict[str, dict[str, float]]:
    found = {}
    for name in ("reference", "prediction", "answer"):
        lengths = [measure(getattr(row, name)) for row in rows]
        mean = round(statistics.fmean(lengths), 1)
        found[name] = {"mean": mean, "median": statistics.median(lengths), "longest": max(lengths)}
    return found


def _disagreements(found: Mapping[str, Any]) -> list[str]:
    share = f"{found['equal']} of {found['pairs']} pairs that both teachers answered have the same counts."
    columns = ("pairs", "differ", "mean_difference")
    rows = ((name, *(counted[c] for c in columns)) for name, counted in found["categories"].items())
    return [share, _table(("category and kind", "pairs", "pairs that differ", "mean absolute difference"), rows)]


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [f"| {' | '.join(_cell(value) for value in row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _cell(value: Any) -> str:
    """Return a value as a cell: one line, without a bar that would end it."""
    return " ".join(str(value).replace("|", "\\|").split())
