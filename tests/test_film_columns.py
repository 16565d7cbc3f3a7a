"""The columns `image` and `boxes` of a file of pairs, for `ffl_rq`; other metrics say that they do not use them."""

import json
import math

import pytest
from PIL import Image

from radeval_core import load, score
from radeval_core.cli import main
from radeval_core.errors import InputError
from radeval_core.findings.atlas import region_names
from radeval_core.io import boxes_by_id, open_pairs
from radeval_core.spool import PairSpool

PAIR = {"prediction": "Opacity in the left lung.", "reference": "Opacity in the right lung."}
#: 20 of 100 are common
BOXES = {"left lung": [4, 0, 10, 10], "right lung": [0, 0, 6, 10]}


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def summary(capsys, *arguments):
    assert main(["score", *arguments, "--metrics", "ffl_rq", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["ffl_rq"]


@pytest.fixture(scope="module")
def detector(tmp_path_factory):
    """Return a tiny detector that finds only the left lung, in the right half of every film."""
    from tiny_detector import make_tiny_detector, say_everywhere

    folder = make_tiny_detector(tmp_path_factory.mktemp("detector"))
    say_everywhere(folder, region_names().index("left lung"), (0.75, 0.5, 0.5, 0.999))
    return str(folder)


# --- boxes


def test_boxes_of_a_jsonl_file_are_used(tmp_path, capsys):
    plain = summary(capsys, write_rows(tmp_path / "plain.jsonl", [PAIR]))
    assert plain["miou"] == 0 and "|boxes:atlas-1|" in plain["signature"]
    boxes = summary(capsys, write_rows(tmp_path / "pairs.jsonl", [{**PAIR, "boxes": BOXES}]))
    assert boxes["miou"] == pytest.approx(0.2) and "|boxes:given-" in boxes["signature"]
    option = load("ffl_rq", boxes=[BOXES]).compute([PAIR["prediction"]], [PAIR["reference"]])
    assert option["signature"] == boxes["signature"]


def test_boxes_of_other_formats_are_the_same(tmp_path, capsys):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{**PAIR, "boxes": {**BOXES, "trachea": None}}]  # a struct column has every region in every row
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "pairs.parquet")
    (tmp_path / "pairs.json").write_text(json.dumps(rows))
    text = json.dumps(BOXES).replace('"', '""')
    (tmp_path / "pairs.csv").write_text(
        f'Boxes,prediction,reference\n"{text}",{PAIR["prediction"]},{PAIR["reference"]}\n'
    )
    found = [summary(capsys, str(tmp_path / f"pairs.{ending}")) for ending in ("parquet", "json", "csv")]
    assert [row["miou"] for row in found] == pytest.approx([0.2] * 3) and len({row["signature"] for row in found}) == 1


def test_each_report_may_have_its_own_boxes():
    sides = {"prediction": {"left lung": [0, 0, 4, 4]}, "reference": {"left lung": [2, 0, 6, 4], "size": [9, 9]}}
    same = {"prediction": "Opacity in the left lung.", "reference": "Opacity in the left lung."}
    result = score(
        [{**same, "boxes": sides}],
        ["ffl_rq"],
    ).results["ffl_rq"]
    assert result.values["miou"].tolist() == pytest.approx([8 / 24])
    detail = load("ffl_rq", boxes=[sides]).compute(*([text] for text in same.values()), detailed=True)["details"][0]
    assert detail["prediction"][0]["boxes"] == {"left lung": [0, 0, 4, 4]}
    assert detail["reference"][0]["boxes"] == {"left lung": [2, 0, 6, 4]}


@pytest.mark.parametrize(
    "boxes, message",
    [
        ({"left lobe": [0, 0, 1, 1]}, "line 2: column 'boxes': unknown region 'left lobe'"),
        ({"left lung": [5, 0, 5, 9]}, r"line 2: column 'boxes'\['left lung'\] is degenerate"),
        ([1, 2], "line 2: column 'boxes' must be a dict of region to"),
        ("{", "line 2: column 'boxes': not valid JSON"),
        ({"prediction": BOXES}, "line 2: column 'boxes' must have 'prediction' and 'reference', or regions"),
        (
            {"prediction": BOXES, "reference": {"left lung": [1]}},
            r"column 'boxes'\['reference'\]\['left lung'\] must be",
        ),
    ],
)
def test_bad_boxes_are_refused_with_file_and_line(tmp_path, boxes, message):
    file = write_rows(tmp_path / "pairs.jsonl", [{**PAIR, "boxes": BOXES}, {**PAIR, "boxes": boxes}])
    with pytest.raises(InputError, match=message):
        list(open_pairs(file, further=("boxes",)))


@pytest.mark.parametrize("cells, message", [
    ([BOXES, None], "pair 1 has no boxes, other pairs have some: give all or none"),
    ([None, BOXES], "pair 1 has boxes, other pairs have none: give all or none"),
])  # fmt: skip
def test_all_pairs_have_boxes_or_none(tmp_path, capsys, cells, message):
    file = write_rows(tmp_path / "pairs.jsonl", [{**PAIR, "boxes": cell} for cell in cells])
    assert main(["score", file, "--metrics", "ffl_rq"]) == 2
    assert message in capsys.readouterr().err


def test_boxes_are_given_once():
    with pytest.raises(InputError, match="pair 0 has its own boxes: leave it out, or leave out boxes="):
        score([{**PAIR, "boxes": BOXES}], ["ffl_rq"], options={"ffl_rq": {"boxes": [BOXES]}})


# --- boxes by id


def test_boxes_from_another_table_by_id(tmp_path, capsys):
    boxes = write_rows(tmp_path / "boxes.jsonl", [{"id": "b", "boxes": HALF}, {"id": "a", "boxes": BOXES}])
    pairs = write_rows(tmp_path / "pairs.jsonl", [{"id": "a", **PAIR}, {"id": "b", **PAIR}])
    found = summary(capsys, pairs, "--option", f"ffl_rq.boxes_file={boxes}")
    assert found["miou"] == pytest.approx((0.2 + 1) / 2) and "|boxes:given-" in found["signature"]
    write_rows(tmp_path / "pairs.jsonl", [{"id": "c", **PAIR}])
    assert main(["score", pairs, "--metrics", "ffl_rq", "--option", f"ffl_rq.boxes_file={boxes}"]) == 2
    assert "boxes_file has no boxes with the id 'c' of a pair" in capsys.readouterr().err


HALF = {"left lung": [0, 0, 5, 5], "right lung": [0, 0, 5, 5]}


def test_a_table_of_boxes_needs_ids(tmp_path):
    with pytest.raises(InputError, match="column 'id' is missing; found 'boxes'"):
        boxes_by_id(write_rows(tmp_path / "a.jsonl", [{"boxes": BOXES}]))
    with pytest.raises(InputError, match="line 2: id '1' occurs twice"):
        boxes_by_id(write_rows(tmp_path / "a.jsonl", [{"id": 1, "boxes": BOXES}, {"id": "1", "boxes": BOXES}]))
    with pytest.raises(InputError, match="no such file"):
        boxes_by_id(tmp_path / "nowhere.parquet")


# --- images


def test_images_of_a_file_go_to_the_detector(tmp_path, capsys, detector):
    (tmp_path / "films").mkdir()
    Image.new("L", (40, 50)).save(tmp_path / "films" / "one.png")
    Image.new("L", (60, 50)).save(tmp_path / "two.png")
    left = {"prediction": PAIR["prediction"], "reference": PAIR["prediction"]}
    rows = [{**left, "image": "films/one.png"}, {**left, "image": str(tmp_path / "two.png")}]
    file = write_rows(tmp_path / "pairs.jsonl", rows)
    details = tmp_path / "details.jsonl"
    found = summary(capsys, file, "--config", f"ffl_rq={detector}", "--details", str(details), "--device", "cpu")
    assert found["miou"] == 1 and "|threshold:0.5|" in found["signature"]
    boxes = [json.loads(line)["details"]["ffl_rq"]["prediction"][0]["boxes"]["left lung"] for line in details.open()]
    assert boxes[0] == pytest.approx([20, 0, 40, 50], abs=0.1) and boxes[1] == pytest.approx([30, 0, 60, 50], abs=0.1)
    rows = score(rows[1:], ["ffl_rq"], {"ffl_rq": detector}, device="cpu")
    assert rows.results["ffl_rq"].signature == found["signature"]


@pytest.mark.parametrize(
    "image, message",
    [
        ("nowhere.png", "line 1: column 'image': no such file; a path is relative to the folder of the table"),
        ({"path": "a.png"}, "line 1: column 'image' must be the path of an image file, got dict"),
        (3, "line 1: column 'image' must be the path of an image file, got int"),
        ("a\0b", "line 1: column 'image': no such file"),
    ],
)
def test_bad_images_are_refused_with_file_and_line(tmp_path, image, message):
    with pytest.raises(InputError, match=message):
        list(open_pairs(write_rows(tmp_path / "pairs.jsonl", [{**PAIR, "image": image}]), further=("image",)))


def test_a_detector_without_images_is_refused(tmp_path, capsys, detector):
    file = write_rows(tmp_path / "pairs.jsonl", [PAIR])
    assert main(["score", file, "--metrics", "ffl_rq", "--config", f"ffl_rq={detector}", "--device", "cpu"]) == 2
    assert "needs images=, a list with one image per pair, or pairs with an image" in capsys.readouterr().err


# --- columns that nobody reads


def test_unused_columns_are_still_noted(tmp_path, capsys):
    file = write_rows(tmp_path / "pairs.jsonl", [{**PAIR, "image": "nowhere.png", "boxes": BOXES, "age": 50}])

    def noted(metrics):
        assert main(["score", file, "--metrics", metrics]) == 0
        notes = capsys.readouterr().err
        return [name for name in ("image", "boxes", "age") if f"column {name!r} is not used" in notes]

    assert noted("bleu") == ["image", "boxes", "age"] and noted("bleu,ffl_rq") == ["image", "age"]


def test_a_spool_keeps_image_and_boxes(tmp_path):
    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    file = write_rows(tmp_path / "pairs.jsonl", [{**PAIR, "image": "a.png", "boxes": BOXES}])
    (pair,) = PairSpool(open_pairs(file, further=("image", "boxes")))
    assert pair.image == str(tmp_path / "a.png") and pair.boxes == BOXES


# --- the summary


def test_the_summary_has_average_precision_and_recall(tmp_path, capsys):
    both = {"prediction": "Left pneumothorax. Cardiomegaly.", "reference": "Left pneumothorax."}
    found = summary(capsys, write_rows(tmp_path / "pairs.jsonl", [both, PAIR]))
    # pair 1: one of two, and one of one; pair 2: the core agrees, the side does not
    assert (found["ffl_precision_core"], found["ffl_recall_core"]) == (0.75, 1.0)
    assert (found["ffl_precision_anatomy"], found["ffl_recall_anatomy"]) == (0.25, 0.5)
    assert (found["ffl_precision"], found["ffl_recall"]) == (found["ffl_precision_all"], found["ffl_recall_all"])
    core = load("ffl_rq", granularity="core").compute([both["prediction"]], [both["reference"]])
    assert (core["ffl_precision"], core["ffl_recall"]) == (0.5, 1.0) and not math.isnan(core["miou"])
