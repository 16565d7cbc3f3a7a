"""A file of pairs on a page: read, removed from the disk, scored with a progress bar, given back as a file.

Gradio writes an upload to its folder for temporary files. The file is read into memory and deleted before the first
pair is scored; the results are never written to a disk of the server, their download is part of the page.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

from radeval_core.api import Scores, score
from radeval_core.errors import InputError
from radeval_core.io import open_pairs
from radeval_core.pairs import Pair
from radeval_core.registry import get_spec
from radeval_core.ui.headline import headline
from radeval_core.ui.pair import check_length, demo_options, guarded, number, page_error
from radeval_core.ui.views.marks import text

SUFFIXES = (".jsonl", ".csv")
#: what one upload may hold: enough for a test set of usual size, little enough for a shared machine
MAX_ROWS, MAX_BYTES = 1000, 5_000_000
#: rows of the table on the page; the download has all
SHOWN_ROWS = 20
#: pairs between two steps of the progress bar
_STEP = 16
#: called with the share that is done and words
Progress = Callable[..., Any]


@dataclass(frozen=True)
class ScoredFile:
    """What a metric says of a file.

    Attributes:
        headline: the score of the whole file; None if no pair could be scored.
        summary: the headline as HTML, with interval and counts.
        columns: names of the columns of `rows`.
        rows: id and per-pair values, in the order of the file.
        signature: everything that can move the number.
        download: a link with all rows as JSONL in it, as HTML.
    """

    headline: float | None
    summary: str
    columns: list[str]
    rows: list[list[Any]]
    signature: str
    download: str


@dataclass(frozen=True)
class _Counted:
    """Pairs that say how many of them have been read."""

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
    pairs = guarded(name, lambda: take_pairs(Path(path)), "this file could not be read")
    spec = get_spec(name)

    def compute() -> ScoredFile:
        # a file is a test set of its own to count words in; a single pair is none
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


def take_pairs(path: Path) -> list[Pair]:
    """The pairs of an upload, which is deleted, whatever becomes of it."""
    try:
        if path.suffix.lower() not in SUFFIXES:
            raise InputError(f"{path.name}: the name must end in {' or '.join(SUFFIXES)}")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InputError(f"{path.name} has {size:,} bytes: at most {MAX_BYTES:,} can be scored here")
        pairs = list(open_pairs(path, limit=MAX_ROWS + 1))
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from None
    except OSError:
        raise InputError("the upload is gone: choose the file again") from None
    finally:
        remove_upload(path)
    if len(pairs) > MAX_ROWS:
        raise InputError(f"{path.name} has more than {MAX_ROWS:,} rows: score it in parts, or with `radeval score`")
    for i, pair in enumerate(pairs, 1):
        check_length(f"the prediction of row {i}", pair.prediction)
        for reference in pair.references:
            check_length(f"the reference of row {i}", reference)
    return pairs


def remove_upload(path: Path) -> None:
    """Delete a file of Gradio's folder for uploads, and the folder it stood in; nothing else is ever deleted."""
    uploads = Path(get_upload_folder()).resolve()
    if uploads in path.resolve().parents:
        path.unlink(missing_ok=True)
        if path.parent.resolve() != uploads:
            with contextlib.suppress(OSError):  # not empty: another upload of the same content is on its way
                path.parent.rmdir()


def _result(name: str, scores: Scores) -> ScoredFile:
    result, rows = scores.results[name], list(scores.rows())
    interval = result.ci95()
    beside = [f"95 % interval {interval[0]:.3f} to {interval[1]:.3f}" if interval else "", f"{result.n:,} pairs"]
    if result.unscored:
        beside.append(f"{result.unscored:,} unscored")
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
    """A link that holds the file itself: the server keeps no copy."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    data = base64.b64encode(lines.encode()).decode("ascii")
    return (
        f'<p class="rv download"><a download="{name}_scores.jsonl" href="data:application/jsonl;base64,{data}">'
        f"⬇ Download all {text(f'{len(rows):,}')} rows as JSONL</a></p>"
    )
