"""`ffl_rq`: the patterns of both reports, and the boxes of present findings on a standard chest or on a film."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.box_plot import draw_boxes
from radeval_core.ui.views.marks import legend, table, two_columns

#: how much of a pattern matched: CSS class and text
_LEVELS = {
    "all": ("match", "✓ all"),
    "anatomy": ("part", "≈ not severity"),
    "core": ("part", "≈ only finding"),
    "": ("error", "✗ no"),
}


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the patterns and the boxes. `options["film"]` is an optional PIL image to draw on."""
    film = options.get("film")
    width, height = film.size if film is not None else (1.0, 1.0)
    theirs, ours = (_boxes(detail[side], width, height) for side in ("reference", "prediction"))
    drawing = draw_boxes(theirs, ours, image=film).svg
    note = "Boxes show the places of present findings. Absent and normal findings have no box."
    if not theirs and not ours:
        note = "No box: neither report has a present finding with a place. Absent and normal findings have no box."
    return (
        two_columns(
            ("Patterns of the reference", _patterns(detail["reference"], "candidate")),
            ("Patterns of the candidate", _patterns(detail["prediction"], "reference")),
        )
        + legend(("match", "✓ the other report has all of it"), ("part", "≈ a part of it"), ("error", "✗ none of it"))
        + f'<div class="drawing" tabindex="0" role="region" aria-label="Places of the findings">{drawing}</div>'
        + f'<p class="note">{note}<span class="narrow"> Scroll sideways to see the whole drawing.</span></p>'
    )


def _boxes(patterns: Sequence[Mapping[str, Any]], width: float, height: float) -> dict[str, Sequence[float]]:
    """Return the boxes of present abnormal findings, by finding and region."""
    scale = (width, height, width, height)
    return {
        f"{_words(p['core'])}: {region}": [side * s for side, s in zip(box, scale, strict=True)]
        for p in patterns
        if p["present"] and p["type"] != "normality"
        for region, box in p["boxes"].items()
    }


def _patterns(patterns: Sequence[Mapping[str, Any]], other: str) -> str:
    if not patterns:
        return '<p class="none">No pattern found.</p>'
    rows = []
    for p in patterns:
        kind, words = _LEVELS[p["matched"][-1] if p["matched"] else ""]
        place = " ".join(filter(None, (p["laterality"], ", ".join(map(_words, p["anatomy"])))))
        finding = f"<b>{'yes' if p['present'] else 'no'}</b> {text(_words(p['core']))}"
        rows.append([finding, text(place), text(p["severity"] or "–"), f'<mark class="{kind}">{words}</mark>'])
    return table(("Finding", "Place", "Severity", f"In {other}"), rows, "patterns")


def _words(name: str) -> str:
    return name.replace("_", " ")
