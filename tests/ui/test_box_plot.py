"""The drawing of boxes: valid SVG, boxes at the right positions, nothing loaded from elsewhere."""

import base64
import io
import xml.etree.ElementTree as ET

import pytest
from PIL import Image

from radeval_core.errors import InputError
from radeval_core.findings.atlas import standard_atlas
from radeval_core.ui.box_plot import draw_boxes

ATLAS = standard_atlas()
SVG = "{http://www.w3.org/2000/svg}"
BLUE, ORANGE = "#0072B2", "#E69F00"
LEGEND = ["reference", "candidate", "the patient's left is on the right"]


def read(plot):
    return ET.fromstring(plot.svg)


def frames(plot, colour):
    """Return the drawn boxes of a colour, as left, top, right, bottom."""
    found = [r for r in read(plot).iter(f"{SVG}rect") if r.get("stroke") == colour]
    numbers = [[float(r.get(key)) for key in ("x", "y", "width", "height")] for r in found]
    return [(x, y, x + w, y + h) for x, y, w, h in numbers]


def labels(plot):
    return [t.text for t in read(plot).iter(f"{SVG}text")]


def test_boxes_of_both_reports_over_the_atlas():
    plot = draw_boxes({"left lung": ATLAS["left lung"]}, {"left lung": ATLAS["left lung"], "carina": ATLAS["carina"]})
    lung = pytest.approx([v * 1000 for v in ATLAS["left lung"]], abs=0.11)
    assert frames(plot, BLUE) == [lung]
    assert frames(plot, ORANGE) == [lung, pytest.approx([v * 1000 for v in ATLAS["carina"]], abs=0.11)]
    assert labels(plot) == ["left lung"] * 2 + [
        "carina",
        "reference",
        "candidate",
        "the patient's left is on the right",
    ]
    assert len(list(read(plot).iter(f"{SVG}path"))) > 5, "the outline of a chest"


def test_the_candidate_can_be_recognised_without_colour():
    plot = draw_boxes({"svc": ATLAS["svc"]}, {"svc": ATLAS["svc"]})
    rects = {r.get("stroke"): r.get("stroke-dasharray") for r in read(plot).iter(f"{SVG}rect")}
    assert rects[BLUE] is None and rects[ORANGE]


def test_boxes_over_a_film_are_in_its_pixels_and_the_film_is_inside():
    film = Image.new("L", (400, 300), 9)
    plot = draw_boxes({"svc": (40, 30, 80, 60)}, {}, image=film)
    assert frames(plot, BLUE) == [(100, 75, 200, 150)]  # 1000 / 400 = 2.5
    (image,) = read(plot).iter(f"{SVG}image")
    inside = Image.open(io.BytesIO(base64.b64decode(image.get("href").removeprefix("data:image/png;base64,"))))
    assert inside.size == (400, 300) and inside.getpixel((0, 0)) == (9, 9, 9)
    assert not list(read(plot).iter(f"{SVG}path")), "no outline over a film"
    assert (image.get("width"), image.get("height")) == ("1000", "750")


def test_boxes_in_pixels_without_a_film():
    plot = draw_boxes({"svc": (102.4, 0, 204.8, 512)}, {}, size=(1024, 1024))
    assert frames(plot, BLUE) == [pytest.approx((100, 0, 200, 500))]


def test_labels_do_not_cover_each_other():
    plot = draw_boxes(ATLAS, {name: ATLAS[name] for name in list(ATLAS)[:3]})
    chips = [
        (float(r.get("x")), float(r.get("y")), float(r.get("width")), float(r.get("height")))
        for r in read(plot).iter(f"{SVG}rect")
        if r.get("rx")
    ]
    assert len(chips) == 39
    for i, (x, y, w, h) in enumerate(chips):
        assert x >= 0 and y >= 0 and x + w <= 1000 and y + h <= 1000
        for x2, y2, w2, h2 in chips[:i]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_labels_are_text_and_not_markup():
    plot = draw_boxes({'<script>&"': ATLAS["svc"]}, {})
    assert labels(plot)[0] == '<script>&"' and "<script" not in plot.svg


def test_without_boxes_only_the_chest_is_drawn():
    assert labels(draw_boxes({}, {})) == LEGEND


def test_nothing_is_loaded_from_elsewhere():
    plot = draw_boxes({"svc": ATLAS["svc"]}, {})
    assert plot.svg.replace('xmlns="http://www.w3.org/2000/svg"', "").count("http") == 0


def test_save_and_notebooks(tmp_path):
    plot = draw_boxes({"svc": ATLAS["svc"]}, {})
    path = plot.save(tmp_path / "boxes.svg")
    assert path.read_text("utf-8") == plot.svg == plot._repr_svg_()
    with pytest.raises(InputError, match=r"give a name that ends in \.svg, not 'boxes\.png'"):
        plot.save(tmp_path / "boxes.png")


@pytest.mark.parametrize(
    "boxes, options, message",
    [
        ({"svc": (0.5, 0.1, 0.5, 0.2)}, {}, r"reference_boxes\['svc'\] is degenerate"),
        ({"svc": (0.5, 0.1, 1.5, 0.2)}, {}, r"reference_boxes\['svc'\] lies outside the image of 1 x 1"),
        ({"svc": (0, 0, 11, 5)}, {"size": (10, 10)}, r"reference_boxes\['svc'\] lies outside the image of 10 x 10"),
        ({}, {"size": (0, 10)}, "size must be a width and a height above 0, got 0 x 10"),
        ({}, {"image": "nowhere.png"}, "image: no such file"),
    ],
)
def test_bad_input(boxes, options, message):
    with pytest.raises(InputError, match=message):
        draw_boxes(boxes, {}, **options)
