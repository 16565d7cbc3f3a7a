"""Update the tables and lists of metrics in the documents from the metrics' declarations.

Run it from a checkout after you add a metric or change an option: `python tools/write_metric_docs.py`. It writes

- the list of options in every card, `metrics/NAME/README.md`, between two comments;
- a row for every metric that is missing in the tables of README.md and of the pages in docs/ that list the metrics, and
  its link where those pages define one;
- a section of docs/details.md with the fields of every metric that is missing there;
- the map of every metric and part to a reward in docs/rewards.md;
- the number of our metrics, and a row for every metric that is missing, in docs/comparison.md.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from detail_fields import section
from radeval_core.api import score
from radeval_core.metric_help import card_list, compute_options
from radeval_core.metrics.spec import MetricSpec
from radeval_core.registry import get_spec, metric_names
from radeval_core.score_scale import scale_of

ROOT = Path(__file__).resolve().parents[1]
START, END = "<!-- options: written by tools/write_metric_docs.py -->\n", "<!-- end of options -->\n"
_TABLE = re.compile(r"^\|.*\|\n\|[-:| ]+\|\n(?:\|.*\|\n)+", re.MULTILINE)
_LINK = re.compile(r"^\[`(\w+)`\]: .+\n", re.MULTILINE)


def with_options(card: str, name: str) -> str:
    """Return the card of a metric with its list of options as declared."""
    before, start, rest = card.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"the card of {name} must contain the lines {START.strip()} and {END.strip()}")
    return f"{before}{START}{card_list(compute_options(name))}{END}{after}"


def with_rows(document: str) -> str:
    """Return a document whose tables name every metric.

    Only a document with a table of what metrics declare (columns metric, range, better) is changed. Its other tables
    with a column metric get a row too if they name most metrics; what is not declared is a dash.
    """
    heads = [_cells(table.partition("\n")[0]) for table in _TABLE.findall(document)]
    if not any({"metric", "range", "better"} <= {cell.lower() for cell in head} for head in heads):
        return document
    return _TABLE.sub(lambda found: _with_rows(found.group()), document)


def with_links(document: str) -> str:
    """Return a document that defines the link [`name`] for every metric, if it does so for any."""
    known = {found[1]: found for found in _LINK.finditer(document) if found[1] in metric_names()}
    if not known:
        return document
    name, last = list(known.items())[-1]
    new = [re.sub(rf"\b{name}\b", missing, last.group()) for missing in metric_names() if missing not in known]
    return document[: last.end()] + "".join(new) + document[last.end() :]


def with_details(document: str) -> str:
    """Return the page of details with a section for every metric, in alphabetical order."""
    for name in metric_names():
        headings = [(found[1], found.start()) for found in re.finditer(r"^## (.+)$", document, re.MULTILINE)]
        if name in dict(headings):
            continue
        later = [start for heading, start in headings if heading in metric_names() and heading > name]
        place = min(later, default=len(document))
        before = document[:place].rstrip("\n")
        after = f"\n{document[place:]}" if later else ""
        document = f"{before}\n\n{section(name, sample_details(name))}{after}"
    return document


def with_comparison(page: str) -> str:
    """Return the comparison with other collections with our number of metrics, and a row for each that is missing."""
    page = re.sub(r"\d+(?= metrics as `evaluate` modules)", str(len(metric_names())), page)
    before, heading, rest = page.partition("## Metrics\n")
    table = _TABLE.search(rest)
    if table is None:
        raise ValueError("docs/comparison.md has no table below the heading Metrics")
    named, empty = set(re.findall(r"`(\w+)`", table[0])), " |" * (len(_cells(table[0].splitlines()[0])) - 2)
    rows = "".join(f"| {name} | `{name}` |{empty}\n" for name in metric_names() if name not in named)
    return before + heading + rest[: table.end()] + rows + rest[table.end() :]


def with_maps(page: str) -> str:
    """Return the page of rewards with the map of every metric and part to 0…1."""
    start, end = "<!-- maps -->\n", "<!-- end of maps -->\n"
    if start not in page or end not in page:
        raise ValueError(f"docs/rewards.md must contain the lines {start.strip()} and {end.strip()}")
    rows = "| metric | its score becomes | its parts become |\n|---|---|---|\n"
    for name in metric_names():
        spec = get_spec(name)
        maps: dict[str, list[str]] = {}  # parts by their map
        for part, declared in spec.parts.items():
            arrow = "↑" if declared.higher_is_better else "↓"
            maps.setdefault(scale_of(f"{name}.{part}").formula, []).append(f"`{part}` {arrow}")
        parts = "; ".join(f"{', '.join(names)}: {formula}" for formula, names in maps.items())
        rows += f"| `{name}` {spec.arrow} | {scale_of(name).formula} | {parts or '-'} |\n"
    return page[: page.index(start) + len(start)] + rows + page[page.index(end) :]


def sample_details(name: str) -> list[dict[str, object]]:
    """Return the details of a metric for the sample pairs."""
    lines = (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines()
    return score([json.loads(line) for line in lines], [name], detailed=True).results[name].details or []


def main() -> None:
    """Rewrite the documents of this checkout and print the paths of those that changed."""
    for name in metric_names():
        path = ROOT / "metrics" / name / "README.md"
        _write(path, with_options(path.read_text("utf-8"), name))
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = with_links(with_rows(path.read_text("utf-8")))
        further = {"details.md": with_details, "comparison.md": with_comparison, "rewards.md": with_maps}.get(path.name)
        _write(path, further(text) if further else text)


def _with_rows(table: str) -> str:
    """Return a table with a row for every metric, if it names most of them in its first column."""
    head, _, *rows = [_cells(line) for line in table.splitlines()]
    names = [re.sub(r"[\[\]`]|\(.*\)", "", row[0]) for row in rows]
    if head[0].lower() != "metric" or 2 * len(set(names) & set(metric_names())) <= len(metric_names()):
        return table
    row, name = next((row, name) for row, name in zip(rows, names, strict=True) if name in metric_names())
    for missing in [other for other in metric_names() if other not in names]:
        first = re.sub(rf"\b{name}\b", missing, row[0])
        cells = [first, *(_cell(column.lower(), get_spec(missing)) for column in head[1:])]
        table += f"| {' | '.join(cells)} |\n"
    return table


def _cell(column: str, spec: MetricSpec) -> str:
    """Return the declared value of a metric for a column of a table; a dash for other columns."""
    if column in ("measures", "compares"):
        return spec.measures
    if column == "range":
        return spec.range_text
    if column == "better":
        return "higher" if spec.higher_is_better else "lower"
    if column.startswith("configs"):
        return ", ".join(f"`{config.name}`" for config in spec.configs)
    if column.startswith("published"):
        return f"`{spec.published.name}`" if spec.published else "-"
    return "-"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _write(path: Path, text: str) -> None:
    if text != path.read_text("utf-8"):
        path.write_text(text, encoding="utf-8", newline="\n")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
