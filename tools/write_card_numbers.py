"""Write the numbers of the example pairs into the cards and the README: headlines, rows of pairs, signatures.

    python tools/write_card_numbers.py            # after a change that moves a score
    python tools/write_card_numbers.py --check    # list what is out of date; exit code 1 if anything is

It scores examples/pairs.jsonl with every metric. A card says "prints 0.6078, 95 % interval 0.4499 to 0.7567"; a table
whose first column is `pair` shows the score, and parts by name; a signature is that of the default config.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from radeval_core import metric_names, score
from radeval_core.api import Scores
from radeval_core.io import open_pairs

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "pairs.jsonl"
_NUMBER = r"-?\d+\.\d{4}"
_PRINTS = re.compile(rf"prints\s{_NUMBER}, 95 % interval {_NUMBER} to {_NUMBER}, n = \d+")
_PAIR = re.compile(r"\| `([\w-]+)`")


def main() -> int:
    """Write or check the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; list the files that are out of date")
    args = parser.parse_args()
    names = metric_names()
    scored = score(open_pairs(EXAMPLES), names, progress=False)
    stale = []
    for path, content in pages(scored, names).items():
        if path.read_text("utf-8") != content:
            stale.append(path)
            if not args.check:
                path.write_text(content, "utf-8")
    for path in stale:
        print(path.relative_to(ROOT), "is out of date" if args.check else "written")
    return int(args.check and bool(stale))


def pages(scored: Scores, names: list[str]) -> dict[Path, str]:
    """Return what each card and the README should contain."""
    found = {}
    for name in names:
        path = ROOT / "metrics" / name / "README.md"
        found[path] = card(name, path.read_text("utf-8"), scored)
    readme = ROOT / "README.md"
    found[readme] = _demo(readme.read_text("utf-8"), scored)
    return found


def card(name: str, text: str, scored: Scores) -> str:
    """Return a card with the numbers of today."""
    result = scored.results[name]
    low, high = result.ci95() or (result.score, result.score)
    text = _PRINTS.sub(
        lambda found: f"prints{found[0][6]}{result.score:.4f}, 95 % interval {low:.4f} to {high:.4f}, n = {result.n}",
        text,
    )
    text = re.sub(rf"\b{name}\|config:embedded\|[^`\s]*(?=`)", lambda _: result.signature, text)
    return "\n".join(_rows(name, text.split("\n"), scored))


def _rows(name: str, lines: list[str], scored: Scores) -> list[str]:
    """Return the lines of a card with the values of pairs in their tables."""
    columns: list[str] = []
    written = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells and cells[0] == "pair":
            columns = cells
        elif not cells:
            columns = []
        pair = _PAIR.match(line)
        written.append(_row(name, cells, columns, pair[1], scored) if columns and pair else line)
    return written


def _row(name: str, cells: list[str], columns: list[str], pair: str, scored: Scores) -> str:
    at = scored.ids.index(pair)
    values = scored.results[name].values
    for i, column in enumerate(columns[1:], start=1):
        wanted = column.strip("`").removeprefix(f"{name}.")
        keys = [key for key in values if key == wanted or key.endswith(f"_{wanted}")]
        if len(keys) == 1 and re.fullmatch(r"-?\d+(?:\.\d+)?", cells[i]):
            whole = re.fullmatch(_NUMBER, cells[i])
            cells[i] = f"{values[keys[0]][at]:.4f}" if whole else f"{round(values[keys[0]][at], 4):g}"
    return f"| {' | '.join(cells)} |"


def _demo(text: str, scored: Scores) -> str:
    """Return the README with one row per metric in the output of `make demo`."""
    block = re.search(r"(?:^│ \w+ +│ +-?\d.*│\n)+", text, re.MULTILINE)
    if block is None:
        raise ValueError("README.md shows no row of `make demo`")
    widths = [len(cell) for cell in block[0].splitlines()[0].split("│")[1:-1]]
    rows = []
    for name in sorted(scored.results):
        result = scored.results[name]
        low, high = result.ci95() or (result.score, result.score)
        better = "↑ higher" if result.spec.higher_is_better else "↓ lower"
        cells = (name, f"{result.score:.4f}", f"{low:.4f} to {high:.4f}", str(result.n), better)
        rows.append("│".join(["", *(f" {c}".ljust(w) for c, w in zip(cells, widths, strict=True)), ""]) + "\n")
    return text[: block.start()] + "".join(rows) + text[block.end() :]


if __name__ == "__main__":
    sys.exit(main())
