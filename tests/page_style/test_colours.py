"""The colours of all pages: both sets are complete, and every pair of text and ground has enough contrast."""

import re
from pathlib import Path

import pytest

from radeval_core.page_style import app_colours, colour_sets, file_colours

SOURCE = Path(__file__).parents[2] / "src" / "radeval_core"
WRITING = ("ink", "strong", "soft", "link", "metric", "metric-b", "ok", "purple", *(f"s{n}" for n in range(5)))
GROUNDS = ("paper", "card", "panel", "sheet", "field")
#: grounds with a tint, and what is written on them
TINTS = {
    **{f"s{n}-tint": (f"s{n}", "ink", "strong") for n in range(5)},
    **{f"{name}-tint": (name, "ink", "strong") for name in ("ok", "metric", "metric-b", "purple")},
    **{f"ngram{n}": ("ink",) for n in range(1, 5)},
    "track": ("ink", "strong"),
}
PAIRS = [(t, g) for t in WRITING for g in GROUNDS] + [(t, g) for g, texts in TINTS.items() for t in texts]
#: text on a filled sign, such as the badge of an error
PAIRS += [("card", t) for t in (*(f"s{n}" for n in range(5)), "ok", "metric", "metric-b", "purple", "soft")]


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_by_hand():
    assert contrast("#000000", "#ffffff") == pytest.approx(21) and contrast("#777777", "#ffffff") == pytest.approx(
        4.48, abs=0.01
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("writing", "ground"), PAIRS)
def test_text_has_enough_contrast(scheme, writing, ground):
    colours = colour_sets()[scheme]
    assert contrast(colours[f"--rv-{writing}"], colours[f"--rv-{ground}"]) >= 4.5


def test_both_sets_name_the_same_colours():
    sets = colour_sets()
    assert sets["light"].keys() == sets["dark"].keys() and len(sets["light"]) > 30


def test_a_page_gets_the_dark_set_only_on_a_screen():
    for css in (app_colours(), file_colours()):
        before, *dark = re.split(r"(?=@media screen)", css)
        assert "color-scheme: light" in before and "dark" not in before.split("{")[1]
        assert dark and all("color-scheme: dark" in part for part in dark)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.css")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_variable_that_a_style_uses_is_one_of_the_colours_or_its_own(path):
    written = path.read_text("utf-8")
    own = set(re.findall(r"(--[\w-]+):", written))
    used = {name for name in re.findall(r"var\((--[\w-]+)", written) if name.startswith("--rv-")}
    assert used <= colour_sets()["light"].keys() | own


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.css")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_text_is_smaller_than_13_pixels(path):
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:[^;}]*?\b([\d.]+)px", path.read_text("utf-8"))]
    assert all(size >= 13 for size in sizes)
