"""The standard atlas agrees with anatomy and with measured means; boxes given by a user are checked."""

import numpy as np
import pytest
from PIL import Image

from radeval_core.engine.images import open_image
from radeval_core.errors import InputError
from radeval_core.findings.atlas import check_boxes, region_name, region_names, standard_atlas

ATLAS = standard_atlas()
SIDED = sorted({name.split(" ", 1)[1] for name in ATLAS if name.startswith("left ")})
MIDLINE = 514 / 1024


def inside(inner, outer):
    a, b = ATLAS[inner], ATLAS[outer]
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


def overlap(one, other):
    a, b = ATLAS[one], ATLAS[other]
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def centre(name):
    x1, y1, x2, y2 = ATLAS[name]
    return (x1 + x2) / 2, (y1 + y2) / 2


# the names of Chest ImaGenome, https://physionet.org/content/chest-imagenome
def test_it_has_the_36_regions():
    assert region_names() == (
        "right lung", "right apical zone", "right upper lung zone", "right mid lung zone", "right lower lung zone",
        "right hilar structures", "left lung", "left apical zone", "left upper lung zone", "left mid lung zone",
        "left lower lung zone", "left hilar structures", "right costophrenic angle", "left costophrenic angle",
        "mediastinum", "upper mediastinum", "cardiac silhouette", "trachea", "right hemidiaphragm",
        "left hemidiaphragm", "right clavicle", "left clavicle", "spine", "right atrium", "cavoatrial junction", "svc",
        "carina", "aortic arch", "abdomen", "right cardiophrenic angle", "left cardiophrenic angle",
        "descending aorta", "right cardiac silhouette", "left cardiac silhouette", "right upper abdomen",
        "left upper abdomen",
    )  # fmt: skip
    assert len(ATLAS) == 36


@pytest.mark.parametrize(
    "name, pixels",
    [
        ("right lung", (138, 128, 470, 824)),
        ("left lung", (558, 127, 885, 825)),
        ("cardiac silhouette", (386, 444, 785, 775)),
    ],
)
def test_it_agrees_with_measured_means(name, pixels):
    assert [v * 1024 for v in ATLAS[name]] == pytest.approx(pixels, abs=0.1)


@pytest.mark.parametrize("name", SIDED)
def test_left_is_on_the_right_of_the_image(name):
    left, right = ATLAS[f"left {name}"], ATLAS[f"right {name}"]
    assert centre(f"right {name}")[0] < MIDLINE < centre(f"left {name}")[0]
    assert right[2] <= left[0] and right[0] < MIDLINE < left[2]
    # both are at about the same height
    assert centre(f"left {name}")[1] == pytest.approx(centre(f"right {name}")[1], abs=0.03)


@pytest.mark.parametrize(
    "inner, outer",
    [
        *((f"{s} {zone}", f"{s} lung") for s in ("left", "right") for zone in ("upper lung zone", "lower lung zone")),
        *((f"{s} apical zone", f"{s} upper lung zone") for s in ("left", "right")),
        *((f"{s} costophrenic angle", f"{s} lower lung zone") for s in ("left", "right")),
        *((f"{s} hemidiaphragm", f"{s} lower lung zone") for s in ("left", "right")),
        *((f"{s} cardiac silhouette", "cardiac silhouette") for s in ("left", "right")),
        *((f"{s} upper abdomen", "abdomen") for s in ("left", "right")),
        ("cardiac silhouette", "mediastinum"), ("upper mediastinum", "mediastinum"),
        ("carina", "trachea"), ("carina", "upper mediastinum"), ("aortic arch", "upper mediastinum"),
        ("right atrium", "right cardiac silhouette"), ("svc", "mediastinum"), ("cavoatrial junction", "mediastinum"),
        ("descending aorta", "mediastinum"),
    ],
)  # fmt: skip
def test_parts_lie_inside_the_whole(inner, outer):
    assert inside(inner, outer)


@pytest.mark.parametrize("side", ["left", "right"])
def test_zones_tile_the_lung(side):
    lung = ATLAS[f"{side} lung"]
    upper, mid, lower = (ATLAS[f"{side} {zone} lung zone"] for zone in ("upper", "mid", "lower"))
    assert (upper[1], upper[3], mid[3], lower[3]) == (lung[1], mid[1], lower[1], lung[3])
    assert {(z[0], z[2]) for z in (upper, mid, lower)} == {(lung[0], lung[2])}


@pytest.mark.parametrize("side", ["left", "right"])
def test_angles_lie_at_the_lower_corners(side):
    lung, costophrenic = ATLAS[f"{side} lung"], ATLAS[f"{side} costophrenic angle"]
    lateral = 2 if side == "left" else 0
    assert (costophrenic[lateral], costophrenic[3]) == (lung[lateral], lung[3])
    # the cardiophrenic angle is nearer to the midline, where heart and diaphragm meet
    assert abs(centre(f"{side} cardiophrenic angle")[0] - MIDLINE) < abs(
        centre(f"{side} costophrenic angle")[0] - MIDLINE
    )
    assert overlap(f"{side} cardiophrenic angle", "cardiac silhouette")
    assert overlap(f"{side} cardiophrenic angle", f"{side} hemidiaphragm")
    assert overlap(f"{side} cardiophrenic angle", f"{side} lower lung zone")


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_hilum_lies_between_lung_and_mediastinum(side):
    assert overlap(f"{side} hilar structures", f"{side} lung") and overlap(f"{side} hilar structures", "mediastinum")
    assert overlap(f"{side} hilar structures", f"{side} mid lung zone")


def test_great_vessels():
    assert ATLAS["svc"][2] < MIDLINE and ATLAS["right atrium"][2] < MIDLINE and ATLAS["aortic arch"][0] > MIDLINE
    assert centre("descending aorta")[0] > MIDLINE
    # the vena cava ends in the junction, and the junction in the atrium
    assert overlap("svc", "cavoatrial junction") and overlap("cavoatrial junction", "right atrium")
    assert centre("svc")[1] < centre("cavoatrial junction")[1] < centre("right atrium")[1]
    assert overlap("aortic arch", "descending aorta") and centre("aortic arch")[1] < centre("descending aorta")[1]
    # the junction is below the carina
    assert ATLAS["cavoatrial junction"][1] > ATLAS["carina"][3]


def test_from_head_to_foot():
    order = ["left clavicle", "left hilar structures", "cardiac silhouette", "left hemidiaphragm", "abdomen"]
    heights = [centre(name)[1] for name in order]
    assert heights == sorted(heights)
    for side in ("left", "right"):
        assert centre(f"{side} clavicle")[1] < centre(f"{side} upper lung zone")[1]
        assert ATLAS[f"{side} upper abdomen"][3] > ATLAS[f"{side} lung"][3]
    assert ATLAS["trachea"][3] == ATLAS["carina"][3] and ATLAS["trachea"][1] < ATLAS["right lung"][1]
    assert centre("left hilar structures")[1] < centre("right hilar structures")[1]
    assert ATLAS["right hemidiaphragm"][1] < ATLAS["left hemidiaphragm"][1]


def test_the_spine_is_vertical_and_central():
    x1, y1, x2, y2 = ATLAS["spine"]
    assert (x1 + x2) / 2 == pytest.approx(MIDLINE, abs=0.001) and y2 - y1 > 8 * (x2 - x1)


def test_the_heart_is_mostly_on_the_left():
    left, right = ATLAS["left cardiac silhouette"], ATLAS["right cardiac silhouette"]
    assert right[2] == left[0] == pytest.approx(MIDLINE, abs=1e-4)
    assert left[2] - left[0] > 1.5 * (right[2] - right[0])


def test_the_atlas_cannot_be_changed():
    with pytest.raises(TypeError):
        ATLAS["svc"] = (0, 0, 1, 1)


# --- boxes given by a user


def test_good_boxes_are_returned_by_standard_region_name():
    boxes = {"Right_Lung": [1, 2, 30, 40], "SVC": np.array([5, 5, 6, 7.5]), "left costophrenic-angle": (0, 0, 100, 80)}
    assert check_boxes(boxes, 100, 80) == {
        "right lung": (1.0, 2.0, 30.0, 40.0),
        "svc": (5.0, 5.0, 6.0, 7.5),
        "left costophrenic angle": (0.0, 0.0, 100.0, 80.0),
    }
    assert check_boxes({}, 10, 10) == {}
    assert check_boxes({"spine": [0, 0, 5000, 5000]}) == {"spine": (0.0, 0.0, 5000.0, 5000.0)}


@pytest.mark.parametrize(
    "boxes, message",
    [
        ({"svc": [5, 0, 5, 4]}, r"boxes\['svc'\] is degenerate: \[5, 0, 5, 4\]; x1 < x2 and y1 < y2 must hold"),
        ({"svc": [0, 4, 5, 3]}, r"boxes\['svc'\] is degenerate: \[0, 4, 5, 3\]"),
        ({"svc": [-1, 0, 5, 4]}, r"boxes\['svc'\] lies outside the image of 100 x 80: \[-1, 0, 5, 4\]"),
        ({"svc": [0, 0, 100.5, 4]}, r"boxes\['svc'\] lies outside the image of 100 x 80"),
        ({"svc": [0, 0, 5, 81]}, r"boxes\['svc'\] lies outside the image of 100 x 80"),
        ({"svc": [0, 0, 5]}, r"boxes\['svc'\] must be four numbers \[x1, y1, x2, y2\], got \[0, 0, 5\]"),
        ({"svc": [0, 0, 5, float("nan")]}, r"boxes\['svc'\] must be four numbers"),
        ({"svc": [0, 0, 5, "6"]}, r"boxes\['svc'\] must be four numbers"),
        ({"svc": "0123"}, r"boxes\['svc'\] must be four numbers \[x1, y1, x2, y2\], got str"),
        ({"svc": None}, r"boxes\['svc'\] must be four numbers \[x1, y1, x2, y2\], got NoneType"),
        ({"left lungs": [0, 0, 5, 5]}, "boxes: unknown region 'left lungs': did you mean 'left lung'"),
        ({3: [0, 0, 5, 5]}, "boxes: a region's name must be a string, got int"),
        ({"SVC": [0, 0, 5, 5], "svc": [0, 0, 5, 5]}, "boxes: region 'svc' is given twice"),
        ([[0, 0, 5, 5]], r"boxes must be a dict of region to \[x1, y1, x2, y2\], got list"),
    ],
)
def test_the_error_names_the_bad_box(boxes, message):
    with pytest.raises(InputError, match="^" + message):
        check_boxes(boxes, 100, 80)


def test_without_a_size_only_negative_coordinates_are_outside():
    with pytest.raises(InputError, match=r"^boxes\[7\]\['svc'\] lies outside the image: \[0, -0.5, 1, 1\]$"):
        check_boxes({"svc": [0, -0.5, 1, 1]}, where="boxes[7]")


def test_region_name():
    assert region_name(" Left_Upper  lung_zone ") == "left upper lung zone"


# --- films


def test_deep_grey_values_are_scaled_and_not_cut(tmp_path):
    values = np.array([[1000, 2000], [3000, 61000]], dtype=np.uint16)
    Image.fromarray(values).save(tmp_path / "deep.png")
    film = open_image(tmp_path / "deep.png", "images[0]")
    assert film.mode == "RGB"
    # (v - 1000) * 255 / 60000
    assert np.asarray(film)[..., 0].tolist() == [[0, 4], [8, 255]]


def test_films_in_other_forms(tmp_path):
    grey = Image.new("L", (4, 3), 77)
    grey.save(tmp_path / "grey.png")
    for given in (grey, tmp_path / "grey.png", str(tmp_path / "grey.png"), grey.convert("RGBA")):
        film = open_image(given, "images[0]")
        assert film.size == (4, 3) and film.getpixel((0, 0)) == (77, 77, 77)
    constant = open_image(Image.fromarray(np.full((2, 2), 9000, dtype=np.uint16)), "images[0]")
    assert constant.getpixel((0, 0)) == (0, 0, 0)


def test_films_that_cannot_be_read(tmp_path):
    (tmp_path / "film.dcm").write_bytes(b"\0" * 128 + b"DICM")
    with pytest.raises(InputError, match=r"^images\[2\] cannot be read as an image .*: give a PNG or JPEG file$"):
        open_image(tmp_path / "film.dcm", "images[2]")
    with pytest.raises(InputError, match=r"^images\[2\]: no such file$"):
        open_image(tmp_path / "none.png", "images[2]")
    with pytest.raises(InputError, match=r"^images\[2\] must be the path of an image file or a PIL image, got int$"):
        open_image(3, "images[2]")
