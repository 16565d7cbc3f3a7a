"""How to cite the board, its benchmark and its metrics, as text to copy."""

from __future__ import annotations

import re

from radeval_core import __version__
from radeval_core.html_text import text
from radeval_core.leaderboard.board import Board
from radeval_core.registry import get_spec, metrics_behind


def citation_view(board: Board) -> str:
    """Return the citation as HTML: BibTeX for the board, the benchmark, and the paper of every metric."""
    benchmark = board.benchmark
    papers = "\n".join(dict.fromkeys(get_spec(name).citation.strip() for name in metrics_behind(benchmark.metrics)))
    return (
        '<div class="rv"><details><summary>How to cite this board and its benchmark</summary>'
        f"<p>Name the benchmark, the revision of its studies and the version of the metrics: scores of another version "
        "are not comparable. Cite the paper of every metric you report.</p>"
        f'<pre class="report" tabindex="0" aria-label="BibTeX of the board and the benchmark">'
        f"{text(_board(board))}</pre>"
        '<details><summary>Papers of the metrics</summary><pre class="report" tabindex="0" '
        f'aria-label="BibTeX of the metrics">{text(papers)}</pre></details></details></div>'
    )


def _board(board: Board) -> str:
    benchmark = board.benchmark
    latest = max((outcome.date for outcome in board.current), default="")[:10]
    key = re.sub(r"\W", "_", benchmark.name)
    results = f", results up to {latest}" if latest else ""
    year = f"  year = {{{latest[:4]}}},\n" if latest else ""
    return (
        f"@misc{{radeval_board_{key},\n  title = {{radeval leaderboard: {benchmark.title}}},\n"
        f"  author = {{{{The radeval authors}}}},\n{year}"
        f"  note = {{benchmark {benchmark.name}, studies {benchmark.revision}, metrics version {board.version}, "
        f"radeval_core {__version__}{results}}}\n}}\n\n"
        f"@misc{{{key},\n  title = {{{benchmark.title}}},\n"
        f"  howpublished = {{https://huggingface.co/datasets/{benchmark.dataset}}},\n"
        f"  note = {{revision {benchmark.revision}, licence {benchmark.licence}}}\n}}"
    )
