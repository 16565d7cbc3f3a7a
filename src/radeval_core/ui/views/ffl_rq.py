"""`ffl_rq`: where the reports disagree, as numbered boxes with a list; all patterns and agreeing boxes are folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.box_plot import draw_boxes
from radeval_core.ui.views.marks import legend, plural, table, two_columns

#: how much of a pattern matched: CSS class and text
_LEVELS = {
    "all": ("match", "✓ all"),
    "anatomy": ("part", "≈ not severity"),
    "core": ("part", "≈ only finding"),
    "": ("error", "✗ no"),
}
#: size of a number in a drawing that is 1,000 wide: 14 px on a phone
_NUMBER = 42
_SIDES = (("reference", "Reference", "solid blue"), ("prediction", "Candidate", "dashed orange"))


@dataclass(frozen=True)
class _Placed:
    """A present finding with its boxes, and whether the other report has the same at the same place."""

    side: str
    words: str
    place: str
    boxes: tuple[Sequence[float], ...]
    agrees: bool


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the disagreements and the patterns. `options["film"]` is an optional PIL image to draw on."""
    film = options.get("film")
    found = [placed for side, _, _ in _SIDES for placed in _present(detail, side)]
    wrong, right = ([p for p in found if p.agrees is agrees] for agrees in (False, True))
    patterns = two_columns(
        ("Patterns of the reference", _patterns(detail["reference"], "candidate")),
        ("Patterns of the candidate", _patterns(detail["prediction"], "reference")),
    ) + legend(("match", "✓ the other report has all of it"), ("part", "≈ a part of it"), ("error", "✗ none of it"))
    agree = f"{plural(len(right), 'box').replace('boxs', 'boxes')} at the same place in both reports"
    return (
        _drawn(wrong, film, "Where the reports disagree", found)
        + (f"<details><summary>{agree}</summary>{_picture(right, film)}</details>" if right else "")
        + f"<h4>Findings that were compared</h4>{patterns}"
    )


def _present(detail: Mapping[str, Any], side: str) -> Iterator[_Placed]:
    """Yield the present abnormal findings of one report that have a place."""
    same = {match[side] for match in detail.get("matches", ()) if match["iou"] > 0.999}
    for i, p in enumerate(detail[side]):
        if p["present"] and p["type"] != "normality" and p["boxes"]:
            place = ", ".join(p["boxes"])
            agrees = i in same and "all" in p["matched"]
            yield _Placed(side, _words(p["core"]), place, tuple(p["boxes"].values()), agrees)


def _drawn(shown: Sequence[_Placed], film: Any, title: str, found: Sequence[_Placed]) -> str:
    if not found:
        note = "Neither report has a present finding with a place. Absent and normal findings have no box."
        return f'<h4>{title}</h4><p class="note">{note}</p>'
    if not shown:
        return f'<h4>{title}</h4><p class="summary">✓ Every present finding is at the same place in both reports.</p>'
    return f"<h4>{title}</h4>{_picture(shown, film)}"


def _picture(shown: Sequence[_Placed], film: Any) -> str:
    """Draw numbered boxes beside the list of what they are."""
    width, height = film.size if film is not None else (1.0, 1.0)
    scale = (width, height, width, height)
    boxes: dict[str, dict[str, Sequence[float]]] = {side: {} for side, _, _ in _SIDES}
    rows = []
    for number, placed in enumerate(shown, 1):
        for i, box in enumerate(placed.boxes):
            label = f"{number}{'abcdefgh'[i % 8]}" if len(placed.boxes) > 1 else str(number)
            boxes[placed.side][label] = [edge * s for edge, s in zip(box, scale, strict=True)]
        name, line = next((name, line) for side, name, line in _SIDES if side == placed.side)
        rows.append([str(number), f"{name} <small>({line})</small>", text(placed.words), text(placed.place)])
    drawing = draw_boxes(boxes["reference"], boxes["prediction"], image=film, label_size=_NUMBER, legend=False).svg
    ground = "your film" if film is not None else "standard atlas: not this patient's anatomy"
    kind = "drawing" if film is not None else "drawing atlas"
    note = text(f"{ground}; the patient's left is on the right")
    listed = table(("Box", "Report", "Finding", "Place"), rows, "grid")
    return f'<div class="film"><div class="{kind}">{drawing}<p class="note">{note}</p></div><div>{listed}</div></div>'


def _patterns(patterns: Sequence[Mapping[str, Any]], other: str) -> str:
    if not patterns:
        return '<p class="none">No pattern found.</p>'
    rows = []
    for p in sorted(patterns, key=lambda p: "all" in p["matched"]):
        kind, words = _LEVELS[p["matched"][-1] if p["matched"] else ""]
        place = " ".join(filter(None, (p["laterality"], ", ".join(map(_words, p["anatomy"])))))
        finding = f"<b>{'yes' if p['present'] else 'no'}</b> {text(_words(p['core']))}"
        rows.append([finding, text(place), text(p["severity"] or "–"), f'<mark class="{kind}">{words}</mark>'])
    return table(("Finding", "Place", "Severity", f"In {other}"), rows, "patterns")


def _words(name: str) -> str:
    return name.replace("_", " ")
