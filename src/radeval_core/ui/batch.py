"""Scores an uploaded file of pairs with a progress bar and returns the results as a download.

Gradio writes uploads to a temporary folder. The file is read into memory and deleted before the first pair is scored.
The server never writes the results to disk: the download is part of the page.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radeval_core.api import Scores, score
from radeval_core.errors import InputError
from radeval_core.html_text import text
from radeval_core.io import open_pairs
from radeval_core.pairs import Pair
from radeval_core.patient_context import CONTEXT_COLUMNS
from radeval_core.registry import get_spec, scorer_class
from radeval_core.ui.pair import check_length, demo_options, guarded, number, page_error
from radeval_core.ui.score_header import headline
from radeval_core.ui.uploads import read_once

SUFFIXES = (".jsonl", ".csv")
#: limits of one upload: enough for a typical test set, small enough for a shared machine
MAX_ROWS, MAX_BYTES = 1000, 5_000_000
#: rows shown on the page; the download has all rows
SHOWN_ROWS = 20
#: pairs per step of the progress bar
_STEP = 16
#: called with (pairs done, all pairs) and a description
Progress = Callable[..., Any]


@dataclass(frozen=True)
class ScoredFile:
    """A metric's result for a file.

    Attributes:
        headline: the score of the whole file; None if no pair could be scored.
        summary: the headline as HTML, with interval and counts.
        columns: column names of `rows`.
        rows: id and per-pair values, in the order of the file.
        signature: everything that can change the score.
        download: an HTML link that contains all rows as JSONL.
    """

    headline: float | None
    summary: str
    columns: list[str]
    rows: list[list[Any]]
    signature: str
    download: str


@dataclass(frozen=True)
class _Counted:
    """Pairs that report to `progress` how many of them have been read."""

    pairs: list[Pair]
    progress: Progress

    def __iter__(self) -> Iterator[Pair]:
        for i, pair in enumerate(self.pairs):
            if i % _STEP == 0:
                self.progress((i, len(self.pairs)), desc="scoring", unit="pairs")
            yield pair


def score_file(name: str, path: str | None, config: str | None, progress: Progress) -> ScoredFile:
    """Score an uploaded file, or raise an error that a page can show."""
    if not path:
        raise page_error("no file: choose a .jsonl or .csv file with columns prediction and reference")
    further = CONTEXT_COLUMNS if scorer_class(name).uses_context else ()
    pairs = guarded(name, lambda: take_pairs(Path(path), further), "this file could not be read")
    spec = get_spec(name)

    def compute() -> ScoredFile:
        # a file is a test set to count words in; a single pair is not
        options = demo_options(spec) if len(pairs) == 1 else {}
        scores = score(
            _Counted(pairs, progress),
            [name],
            configs={name: config} if config else None,
            options={name: options} if options else None,
            chunk_pairs=_STEP,
        )
        return _result(name, scores)

    return guarded(name, compute, "this file could not be scored")


def take_pairs(path: Path, further: tuple[str, ...] = ()) -> list[Pair]:
    """Return the pairs of an upload. The upload is always deleted, even after an error.

    Args:
        path: the upload.
        further: columns that the metric reads besides the reports.
    """
    pairs = read_once(
        path, SUFFIXES, MAX_BYTES, lambda file: list(open_pairs(file, limit=MAX_ROWS + 1, further=further))
    )
    if len(pairs) > MAX_ROWS:
        raise InputError(f"{path.name} has more than {MAX_ROWS:,} rows: score it in parts, or with `radeval score`")
    for i, pair in enumerate(pairs, 1):
        check_length(f"the prediction of row {i}", pair.prediction)
        for reference in pair.references:
            check_length(f"the reference of row {i}", reference)
    return pairs


def _result(name: str, scores: Scores) -> ScoredFile:
    result, rows = scores.results[name], list(scores.rows())
    interval = result.ci95()
    beside = [f"95 % interval {interval[0]:.3f} to {interval[1]:.3f}" if interval else "", f"{result.n:,} pairs"]
    if result.unscored:
        beside.append(f"{result.unscored:,} unscored")
    if result.coverage is not None:
        beside.append(f"mean coverage {result.coverage.mean():.2f}")
    columns = ["id", *rows[0]["scores"]]
    return ScoredFile(
        headline=number(result.score),
        summary=headline(result.spec, number(result.score), " · ".join(filter(None, beside))),
        columns=columns,
        rows=[[row["id"], *row["scores"].values()] for row in rows],
        signature=result.signature,
        download=_download(name, rows),
    )


def _download(name: str, rows: list[dict[str, Any]]) -> str:
    """Return a link that contains the file, so that the server keeps no copy."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    data = base64.b64encode(lines.encode()).decode("ascii")
    return (
        f'<p class="rv download"><a download="{name}_scores.jsonl" href="data:application/jsonl;base64,{data}">'
        f"⬇ Download all {text(f'{len(rows):,}')} rows as JSONL</a></p>"
    )
