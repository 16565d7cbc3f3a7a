"""The scorer of `ffl_rq`: hand-made findings first, then the parser, the atlas, given boxes and a detector."""

import json
import math

import numpy as np
import pytest
from PIL import Image

from radeval_core import load, runner, score
from radeval_core.errors import InputError
from radeval_core.findings import FindingsParser, parse
from radeval_core.findings.atlas import region_names, standard_atlas
from radeval_core.findings.types import Finding, ParsedReport, Sentence
from radeval_core.metrics import ffl_rq as module

ATLAS = standard_atlas()


def finding(name, polarity="present", place="lung", side=None, severity=None, kind="abnormality", implied=False, at=0):
    return Finding(
        finding=name, kind=kind, polarity=polarity, anatomy=(place,) if place else (), laterality=side,
        severity=severity, measurements=(), change=None, significance="minor", start=at, end=at + 1, text="x",
        sentence_start=0, sentence_end=1, implied=implied,
    )  # fmt: skip


#: short names of reports, and the findings the parser would return for each
REPORTS = {
    "left": [finding("effusion", side="left", severity="mild")],
    "left severe": [finding("effusion", side="left", severity="severe")],
    "right": [finding("effusion", side="right", severity="mild")],
    "both sides": [finding("effusion", side="bilateral", severity="mild")],
    "left and right": [finding("effusion", side="left"), finding("effusion", side="right")],
    "no effusion": [finding("effusion", "absent")],
    "maybe left": [finding("effusion", "uncertain", side="left", severity="mild")],
    "elbow": [finding("fracture", place="elbow")],
    "knee": [finding("fracture", place="knee")],
    "elbow and left": [finding("fracture", place="elbow"), finding("effusion", side="left", severity="mild")],
    "clear lungs": [
        finding("normal_lung", kind="normality"),
        finding("effusion", "absent", implied=True),
        finding("nodule", "absent", implied=True),
    ],
    "clear left lung": [
        finding("normal_lung", kind="normality", side="left"),
        finding("effusion", "absent", side="left", implied=True),
    ],
    "normal chest": [
        finding("normal_chest", kind="normality", place="chest"),
        finding("effusion", "absent", place="chest", implied=True),
        finding("fracture", "absent", place="chest", implied=True),
    ],
    "no right effusion": [finding("effusion", "absent", side="right")],
    "granuloma": [finding("granuloma", side="left"), finding("nodule", side="left", implied=True)],
    "left nodule": [finding("nodule", side="left")],
    "no nodule": [finding("nodule", "absent")],
    "nothing": [],
}


@pytest.fixture
def hand_made(monkeypatch):
    """Replace the parser by hand-made findings, and the regions by the two lungs."""

    def regions(found, lexicon):
        sides = (found.laterality,) if found.laterality in ("left", "right") else ("left", "right")
        return tuple(f"{side} lung" for side in sides) if found.anatomy == ("lung",) else ()

    def parse(self, text):
        return ParsedReport(text, tuple(REPORTS[text.strip()]), (Sentence(0, len(text), text, ""),), self.lexicon)

    monkeypatch.setattr(FindingsParser, "parse", parse)
    monkeypatch.setattr(module, "imagenome_regions", regions)


#: area of a lung: width x height, in the atlas
LEFT, RIGHT = ((box[2] - box[0]) * (box[3] - box[1]) for box in (ATLAS["left lung"], ATLAS["right lung"]))
SHARE = LEFT / (LEFT + RIGHT)  # IoU of the left lung with both lungs

CASES = [
    # prediction, reference, F1 core, F1 anatomy, F1 all, MIOU
    ("left", "left", 1, 1, 1, 1),
    ("left", "left severe", 1, 1, 0, 1),
    ("left", "right", 1, 0, 0, 0),
    ("left", "both sides", 1, 0, 0, SHARE),
    ("left", "left and right", 1, 2 / 3, 0, 2 * 1 / 3),
    ("both sides", "left and right", 1, 0, 0, 2 * max(SHARE, 1 - SHARE) / 3),
    ("left", "no effusion", 0, 0, 0, 0),
    ("maybe left", "left", 1, 1, 1, 1),
    ("elbow", "knee", 1, 0, 0, math.nan),
    ("elbow", "elbow and left", 2 / 3, 2 / 3, 2 / 3, 0),
    ("elbow and left", "left", 2 / 3, 2 / 3, 2 / 3, 1),
    ("nothing", "left", 0, 0, 0, 0),
    ("nothing", "elbow", 0, 0, 0, math.nan),
    ("nothing", "nothing", 1, 1, 1, 1),
    # a normal statement: an excluded finding counts if the other report names it …
    ("clear lungs", "clear lungs", 1, 1, 1, 1),
    ("clear lungs", "no effusion", 2 / 3, 2 / 3, 2 / 3, 2 / 3),
    ("clear lungs", "left", 0, 0, 0, 0),
    ("clear lungs", "nothing", 0, 0, 0, 0),
    ("clear lungs", "elbow", 0, 0, 0, 0),
    # … on the side of the normal statement: the core agrees, the side does not
    ("clear left lung", "no right effusion", 2 / 3, 0, 0, 0),
    # … or excludes it in other words: both exclude an effusion, 2 * 1 / (2 + 2); one of three places is common
    ("clear lungs", "normal chest", 1 / 2, 1 / 2, 1 / 2, 2 / 3),
    ("normal chest", "knee", 0, 0, 0, math.nan),
    # a more general finding counts if the other report names it
    ("granuloma", "left nodule", 2 / 3, 2 / 3, 2 / 3, 2 / 3),
    ("granuloma", "no nodule", 0, 0, 0, 0),
    ("granuloma", "granuloma", 1, 1, 1, 1),
]


@pytest.mark.parametrize("prediction, reference, core, anatomy, every, overlap", CASES)
def test_hand_worked_pairs(hand_made, prediction, reference, core, anatomy, every, overlap):
    result = load("ffl_rq").compute([prediction], [reference])
    numbers = [result[key] for key in ("ffl_f1_core", "ffl_f1_anatomy", "ffl_f1_all", "ffl_f1", "miou")]
    assert numbers == pytest.approx([core, anatomy, every, every, overlap], abs=1e-12, nan_ok=True)
    assert result["ffl_rq"] == pytest.approx(every if math.isnan(overlap) else (every + overlap) / 2, abs=1e-12)
    other = load("ffl_rq").compute([reference], [prediction])
    assert other["ffl_rq"] == pytest.approx(result["ffl_rq"], abs=1e-12)


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_against_itself_is_exactly_one(hand_made, report):
    assert load("ffl_rq").compute([report], [report])["scores"] == [1.0]


def test_granularity_chooses_the_f1_of_rq(hand_made):
    values = {g: load("ffl_rq", granularity=g).compute(["left"], ["left severe"]) for g in ("core", "anatomy", "all")}
    assert [values[g]["ffl_rq"] for g in values] == [1, 1, 0.5]
    assert [values[g]["ffl_f1"] for g in values] == [1, 1, 0]
    assert "|granularity:anatomy|" in values["anatomy"]["signature"]
    with pytest.raises(InputError, match="granularity must be one of core, anatomy, all, got 'anatomi'"):
        load("ffl_rq", granularity="anatomi").compute(["left"], ["left"])


def test_the_mean_of_miou_leaves_out_pairs_without_places(hand_made):
    result = load("ffl_rq").compute(["left", "elbow", "left"], ["left", "elbow", "right"])
    assert result["scores"] == [1, 1, 0] and result["ffl_rq"] == pytest.approx(2 / 3)
    assert result["miou_scores"] == pytest.approx([1, math.nan, 0], nan_ok=True) and result["miou"] == 0.5
    assert result["unscored"] == 0
    assert math.isnan(load("ffl_rq").compute(["elbow"], ["knee"])["miou"])
    rows = score([("left", "left"), ("elbow", "elbow")], ["ffl_rq"])
    assert [row["scores"]["ffl_rq.miou"] for row in rows.rows()] == [1.0, None]
    low, high = rows.results["ffl_rq"].ci95()
    assert low == high == 1.0


def test_each_distinct_report_is_parsed_once_per_chunk(hand_made, monkeypatch):
    read = []
    parse = FindingsParser.parse
    monkeypatch.setattr(FindingsParser, "parse", lambda self, text: read.append(text) or parse(self, text))
    load("ffl_rq").compute(["left", "left", "right"], ["right", "left", "left"])
    assert sorted(read) == ["left", "right"]


def test_details(hand_made):
    result = load("ffl_rq").compute(["left and right"], ["left"], detailed=True)
    (detail,) = result["details"]
    assert json.loads(json.dumps(detail)) == detail
    assert [p["pattern"] for p in detail["prediction"]] == [
        "abnormality|yes|effusion|lung|left|",
        "abnormality|yes|effusion|lung|right|",
    ]
    assert [p["matched"] for p in detail["prediction"]] == [["core", "anatomy"], ["core"]]
    assert detail["reference"] == [
        {
            "pattern": "abnormality|yes|effusion|lung|left|mild", "type": "abnormality", "present": True,
            "core": "effusion", "anatomy": ["lung"], "laterality": "left", "severity": "mild",
            "matched": ["core", "anatomy"], "boxes": {"left lung": list(ATLAS["left lung"])},
        }
    ]  # fmt: skip
    assert detail["matches"] == [{"prediction": 0, "reference": 0, "iou": 1.0}]
    assert detail["precision"] == {"core": 1.0, "anatomy": 0.5, "all": 0.0}
    assert detail["recall"] == {"core": 1.0, "anatomy": 1.0, "all": 0.0}


# --- given boxes

HALVES = {"left lung": [5, 0, 10, 10], "right lung": [0, 0, 5, 10], "size": [10, 10]}


def test_given_boxes_replace_the_atlas(hand_made):
    overlapping = {"Left_Lung": [4, 0, 10, 10], "right lung": [0, 0, 6, 10]}  # 20 of 100 are common
    result = load("ffl_rq", boxes=[HALVES, overlapping]).compute(["left", "left"], ["both sides", "right"])
    assert result["miou_scores"] == pytest.approx([0.5, 20 / 100])
    assert "|boxes:given-" in result["signature"]
    other = load("ffl_rq", boxes=[HALVES, HALVES]).compute(["left", "left"], ["both sides", "right"])
    assert other["signature"] != result["signature"]


def test_a_region_without_a_box_cannot_be_grounded(hand_made):
    only_left = {"left lung": [5, 0, 10, 10]}
    result = load("ffl_rq", boxes=[only_left] * 3).compute(["left", "right", "both sides"], ["left", "right", "left"])
    assert result["miou_scores"] == pytest.approx([1, math.nan, 1], nan_ok=True)


def test_boxes_stay_with_their_pairs_over_chunks(hand_made, monkeypatch):
    boxes = [{"left lung": [0, 0, n, 10], "right lung": [0, 0, 10, 10]} for n in range(1, 8)]
    expected = [n / 10 for n in range(1, 8)]
    pairs = ["left"] * 7, ["right"] * 7
    assert load("ffl_rq", boxes=boxes).compute(*pairs)["miou_scores"] == pytest.approx(expected)
    monkeypatch.setattr(runner, "CHUNK_PAIRS", 2)
    metric = load("ffl_rq", boxes=boxes)
    for _ in range(2):  # the next call starts with the first boxes again
        assert metric.compute(*pairs)["miou_scores"] == pytest.approx(expected)


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_boxes_as_pairs(hand_made, count, monkeypatch):
    monkeypatch.setattr(runner, "CHUNK_PAIRS", 1)
    message = f"^boxes must have one entry per pair: got {count} for 2 pairs$"
    with pytest.raises(InputError, match=message):
        load("ffl_rq", boxes=[HALVES] * count).compute(["left"] * 2, ["left"] * 2)
    with pytest.raises(InputError, match=message):
        score([("left", "left")] * 2, ["ffl_rq"], options={"ffl_rq": {"boxes": [HALVES] * count}})


@pytest.mark.parametrize(
    "boxes, message",
    [
        ({"left lung": [5, 0, 5, 10]}, r"boxes\[1\]\['left lung'\] is degenerate: \[5, 0, 5, 10\]"),
        (
            {"left lung": [5, 0, 11, 10], "size": [10, 10]},
            r"boxes\[1\]\['left lung'\] lies outside the image of 10 x 10",
        ),
        ({"left lobe": [5, 0, 9, 10]}, r"boxes\[1\]: unknown region 'left lobe': did you mean"),
        ({"size": [10]}, r"boxes\[1\]\['size'\] must be \[width, height\] of the image"),
        ({"size": [10, -1]}, r"boxes\[1\]\['size'\] must be \[width, height\]"),
        ([5, 0, 9, 10], r"boxes\[1\] must be a dict of region to"),
        (None, r"boxes\[1\] must be a dict of region to \[x1, y1, x2, y2\], got NoneType"),
    ],
)
def test_the_error_names_the_row_of_bad_boxes(hand_made, boxes, message):
    with pytest.raises(InputError, match="^" + message):
        load("ffl_rq", boxes=[HALVES, boxes]).compute(["left"] * 2, ["left"] * 2)


# --- a detector


@pytest.fixture(scope="module")
def detector(tmp_path_factory):
    """Return a tiny detector that finds only the left lung, in the right half of every film."""
    from tiny_detector import make_tiny_detector, say_everywhere

    folder = make_tiny_detector(tmp_path_factory.mktemp("detector"))
    say_everywhere(folder, region_names().index("left lung"), (0.75, 0.5, 0.5, 0.999))
    return str(folder)


def test_regions_from_a_detector(hand_made, detector, monkeypatch):
    monkeypatch.setattr(runner, "CHUNK_PAIRS", 2)
    films = [Image.fromarray(np.full((50, width), 90, dtype=np.uint8)) for width in (40, 60, 80)]
    metric = load("ffl_rq", device="cpu", checkpoint=detector, images=films, progress=False)
    result = metric.compute(["left", "left", "right"], ["left", "both sides", "right"], detailed=True)
    assert result["miou_scores"] == pytest.approx([1, 1, math.nan], nan_ok=True)
    seen = [d["prediction"][0]["boxes"].get("left lung") for d in result["details"]]
    assert seen[0] == pytest.approx([20, 0, 40, 50], abs=0.1) and seen[1] == pytest.approx([30, 0, 60, 50], abs=0.1)
    assert "|model:" in result["signature"] and "|threshold:0.5|" in result["signature"]
    as_config = load("ffl_rq", detector, device="cpu", images=films, progress=False)
    assert as_config.compute(["left"] * 3, ["left"] * 3)["signature"] == result["signature"]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"images": ["a.png"]}, "images= needs a detector of regions: name one by checkpoint=HUB_ID_OR_FOLDER"),
        ({"images": ["a.png"], "boxes": [HALVES]}, "give boxes= or images=, not both"),
        ({"checkpoint": "someone/detector"}, "the detector 'someone/detector' needs images=, a list with one image"),
    ],
)
def test_images_and_detector_go_together(hand_made, options, message):
    with pytest.raises(InputError, match=message):
        load("ffl_rq", **options).compute(["left"], ["left"])


def test_as_many_images_as_pairs(hand_made, detector):
    with pytest.raises(InputError, match=r"^images must have one entry per pair: got 1 for 2 pairs$"):
        load("ffl_rq", checkpoint=detector, images=["a.png"]).compute(["left"] * 2, ["left"] * 2)


def test_the_error_names_an_unreadable_film(hand_made, detector):
    metric = load("ffl_rq", device="cpu", checkpoint=detector, images=[Image.new("L", (9, 9)), "nowhere.png"])
    with pytest.raises(InputError, match=r"^images\[1\]: no such file$"):
        metric.compute(["left"] * 2, ["left"] * 2)


# --- with the parser

REFERENCE = "Small left pleural effusion. Mild opacity in the right lower lobe. The heart is enlarged. No pneumothorax."
CHANGED = [
    ("negation", REFERENCE.replace("No pneumothorax", "There is a pneumothorax")),
    ("negation of a finding", REFERENCE.replace("Small left pleural effusion", "No pleural effusion")),
    ("finding", REFERENCE.replace("pleural effusion", "pneumothorax")),
    ("side", REFERENCE.replace("left", "right")),
    ("region", REFERENCE.replace("right lower lobe", "right upper lobe")),
    ("severity", REFERENCE.replace("Small", "Large")),
    ("omission", REFERENCE.replace("The heart is enlarged.", "")),
]


@pytest.mark.parametrize("kind, report", CHANGED, ids=[kind for kind, _ in CHANGED])
def test_the_score_drops_for_every_kind_of_error(kind, report):
    result = load("ffl_rq").compute([REFERENCE, report], [REFERENCE, REFERENCE])
    assert result["scores"][0] == 1.0 and result["scores"][1] < 0.9


@pytest.mark.parametrize(
    "report",
    [
        "No pneumothorax is seen. Mild opacity of the right lower lobe. Cardiomegaly. A small left effusion.",
        REFERENCE.upper(),
        REFERENCE + " " + REFERENCE,
    ],
)
def test_synonyms_letter_case_and_repetition_change_nothing(report):
    assert load("ffl_rq").compute([report], [REFERENCE])["ffl_rq"] == pytest.approx(1.0)


def test_every_region_the_parser_names_is_in_the_atlas(example_pairs):
    texts = [text for pair in example_pairs for text in (pair["prediction"], pair["reference"])]
    reports = [parse(text) for text in texts]
    found = {name for r in reports for f in r.findings for name in module.imagenome_regions(f, r.lexicon)}
    assert found and found <= set(ATLAS)
