"""`ffl_rq`: the patterns of both reports, and the boxes of what is present on a chest or on the visitor's film."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.ui.box_plot import draw_boxes
from radeval_core.ui.views.marks import legend, table, text, two_columns

#: how far a pattern is matched: CSS class and words
_LEVELS = {
    "all": ("match", "✓ all"),
    "anatomy": ("part", "≈ not severity"),
    "core": ("part", "≈ only finding"),
    "": ("error", "✗ no"),
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """The drawing and the patterns. `options["film"]` may hold a PIL image to draw on."""
    film = options.get("film")
    width, height = film.size if film is not None else (1.0, 1.0)
    theirs, ours = (_boxes(detail[side], width, height) for side in ("reference", "prediction"))
    drawing = draw_boxes(theirs, ours, image=film).svg
    note = "Boxes show where findings that are present lie; what a report denies or calls normal is not drawn."
    if not theirs and not ours:
        note = "No finding that is present has a place to draw; what a report denies or calls normal is not drawn."
    return (
        two_columns(
            ("Patterns of the reference", _patterns(detail["reference"], "candidate")),
            ("Patterns of the candidate", _patterns(detail["prediction"], "reference")),
        )
        + legend(("match", "✓ the other report has all of it"), ("part", "≈ a part of it"), ("error", "✗ none of it"))
        + f'<div class="drawing" tabindex="0" role="region" aria-label="Places of findings">{drawing}</div>'
        + f'<p class="note">{note}<span class="narrow"> Slide the drawing sideways to see all of it.</span></p>'
    )


def _boxes(patterns: Sequence[Mapping[str, Any]], width: float, height: float) -> dict[str, Sequence[float]]:
    """Boxes of abnormal findings that are present, by finding and region."""
    scale = (width, height, width, height)
    return {
        f"{_words(p['core'])}: {region}": [side * s for side, s in zip(box, scale, strict=True)]
        for p in patterns
        if p["present"] and p["type"] != "normality"
        for region, box in p["boxes"].items()
    }


def _patterns(patterns: Sequence[Mapping[str, Any]], other: str) -> str:
    if not patterns:
        return '<p class="none">No pattern was read.</p>'
    rows = []
    for p in patterns:
        kind, words = _LEVELS[p["matched"][-1] if p["matched"] else ""]
        place = " ".join(filter(None, (p["laterality"], ", ".join(map(_words, p["anatomy"])))))
        said = f"<b>{'yes' if p['present'] else 'no'}</b> {text(_words(p['core']))}"
        rows.append([said, text(place), text(p["severity"] or "–"), f'<mark class="{kind}">{words}</mark>'])
    return table(("Finding", "Place", "Severity", f"In {other}"), rows, "patterns")


def _words(name: str) -> str:
    return name.replace("_", " ")
