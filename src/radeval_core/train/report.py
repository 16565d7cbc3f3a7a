"""Write one page about a training run: curves, figures, counts, and pairs where judge and teacher differ.

The page is one file of plain HTML and CSS with its pictures inside. It loads nothing and runs nothing. All text is
escaped. It shows held-out reports, so the file is readable only for its owner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError
from radeval_core.html_text import text
from radeval_core.io import jsonl_rows
from radeval_core.page_style import file_colours
from radeval_core.pictures import img
from radeval_core.train.curves import curves
from radeval_core.train.report_tables import SectionTable, any_tables, measured_names
from radeval_core.train.run_folder import read_log, read_run

#: how many pairs with different counts the page shows
_EXAMPLES = 8
_JUDGE = "judge"


def report_page(folder: Path, experts: Mapping[str, Any] | None = None) -> str:
    """Return the page of a complete run as HTML.

    Args:
        folder: the run.
        experts: agreement with experts, from `expert_agreement`; for judges.

    Raises:
        InputError: the folder has no complete run.
    """
    run = read_run(folder)
    settings, results = run["settings"], run.get("results")
    if results is None:
        raise InputError(f"{folder} has a run that is not complete: type its `radeval train` command again to go on")
    sections = [("curves", "Curves", _curves(folder, settings))]
    if settings.get("kind") == _JUDGE:
        sections += _judge_sections(folder, settings, results, experts)
    else:
        sections += [(table.key, table.title, _table(table)) for table in any_tables(results)]
    sections.append(("settings", "Settings", _facts(settings)))
    title = f"Training of {settings.get('metric') or settings.get('kind', 'a model')}: {folder.resolve().name}"
    nav = "".join(f'<a href="#{text(key)}">{text(name)}</a>' for key, name, _ in sections)
    body = "".join(
        f'<section id="{text(key)}"><h2>{text(name)}</h2>{content}</section>\n' for key, name, content in sections
    )
    css = resources.files("radeval_core.bench").joinpath("page.css").read_text("utf-8")
    own = resources.files("radeval_core.train").joinpath("report.css").read_text("utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{file_colours()}{css}{own}</style></head>\n<body>\n"
        f"<h1>{text(title)}</h1>\n<nav>{nav}</nav>\n{body}</body></html>\n"
    )


def _judge_sections(
    folder: Path, settings: Mapping[str, Any], results: Mapping[str, Any], experts: Mapping[str, Any] | None
) -> list[tuple[str, str, str]]:
    from radeval_core.train.judge.card import expert_table, figure_tables

    tables = figure_tables(settings["metric"], results)
    if experts:
        tables.append(expert_table(experts))
    found = [
        (f"figures-{i}", title, _table(SectionTable("", title, columns, rows)))
        for i, (title, columns, rows) in enumerate(tables)
    ]
    confusion = results["judges"]["trained"]["figures"]["categories"]
    note = "Number of held-out pairs by the errors that the teacher counts (rows) and the judge counts (columns)."
    grids = "".join(_confusion(name, entry["confusion"]) for name, entry in confusion.items())
    found.append(
        (
            "confusion",
            "Counts of the teacher and the judge",
            f'<p class="note">{note}</p><div class="grids">{grids}</div>',
        )
    )
    found.append(("examples", "Where teacher and judge differ", _examples(folder)))
    return found


def _curves(folder: Path, settings: Mapping[str, Any]) -> str:
    log = read_log(folder)
    names = measured_names(log, str(settings.get("kind", "")))
    last = next((line["loss"] for line in reversed(log) if "loss" in line), None)
    alt = f"loss over {max((line['step'] for line in log), default=0)} steps" + (
        f", at the end {last:.3f}" if last else ""
    )
    return f"<figure>{img(curves(log, names), alt)}</figure>"


def _confusion(name: str, counts: Sequence[Sequence[int]]) -> str:
    """Return one category's table of counts, with darker cells for more pairs; the diagonal is agreement."""
    most = max((n for row in counts for n in row), default=0) or 1
    head = "".join(f"<th>{i}</th>" for i in range(len(counts)))
    body = "".join(
        f"<tr><th>{i}</th>"
        + "".join(
            f'<td class="{"heat" if i == j else "cold"}" style="--share: {n / most:.2f}">{n}</td>'
            for j, n in enumerate(row)
        )
        + "</tr>"
        for i, row in enumerate(counts)
    )
    return f"<div><h3>{text(name.replace('_', ' '))}</h3><table><tr><th></th>{head}</tr>{body}</table></div>"


def _examples(folder: Path) -> str:
    """Return the first pairs whose counts differ, those without a readable answer last."""
    from radeval_core.train.judge.evaluation import ANSWERS

    path = folder / ANSWERS
    if not path.is_file():
        return f'<p class="note">There is no {ANSWERS} in the folder: a published judge comes without its pairs.</p>'
    rows = [row for _, row in jsonl_rows(path) if row["judge"] != row["teacher"]]
    rows.sort(key=lambda row: row["judge"] is None)
    if not rows:
        return '<p class="note">The counts of all held-out pairs are equal.</p>'
    shown = f'<p class="note">{len(rows)} pairs differ; the first {min(len(rows), _EXAMPLES)} are shown.</p>'
    return shown + "".join(_example(row, opened=not i) for i, row in enumerate(rows[:_EXAMPLES]))


def _example(row: Mapping[str, Any], opened: bool) -> str:
    judged = row["answer"] if row["judge"] is not None else f"[{row['reason']}]\n{row['answer']}"
    parts = {
        "reference": row["reference"],
        "candidate": row["prediction"],
        "teacher": row["teacher_answer"],
        "judge": judged,
    }
    cells = "".join(f"<div><h3>{name}</h3><pre>{text(part)}</pre></div>" for name, part in parts.items())
    start = "<details open>" if opened else "<details>"
    return f'{start}<summary>{text(str(row["id"]))}</summary><div class="pair">{cells}</div></details>'


def _facts(settings: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<dt>{text(name.replace('_', ' '))}</dt><dd><code>{text(str(value))}</code></dd>"
        for name, value in settings.items()
    )
    return f"<dl>{rows}</dl>"


def _table(table: SectionTable) -> str:
    head = "".join(f"<th>{text(name)}</th>" for name in table.columns)
    body = "".join(f"<tr>{''.join(f'<td>{text(_cell(cell))}</td>' for cell in row)}</tr>" for row in table.rows)
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
