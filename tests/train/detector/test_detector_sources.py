"""Films from a table, from COCO's JSON and from Chest ImaGenome; every wrong row is named."""

import json
import sys
from pathlib import Path

import pytest
from PIL import Image

from radeval_core.errors import InputError
from radeval_core.findings.atlas import region_names
from radeval_core.train.detector.film_sources import read_films

sys.path.insert(0, str(Path(__file__).parents[2] / "data"))
from invented_imagenome import chest_imagenome, scene_graph


def test_a_table_gives_films_with_size_patient_and_split(table, rows):
    films, notes = read_films(table)
    assert len(films) == 20 and notes == []
    first = films[0]
    with Image.open(table.parent / rows[0]["image"]) as image:
        assert (first.width, first.height) == image.size
    assert (first.patient, first.split, set(first.boxes)) == ("p00000", "train", set(region_names()))
    assert first.boxes["left lung"] == tuple(next(b for b in rows[0]["boxes"] if b["region"] == "left lung")["box"])


def test_boxes_as_scoring_reads_them_are_read_too(rows, write):
    rows[0]["boxes"] = {"Left_Lung": [1, 2, 3, 4], "svc": None, "size": [80, 80]}
    rows[1]["boxes"] = json.dumps([{"region": "left lung", "box": [1, 2, 3, 4]}])
    films, _ = read_films(write(rows[:2]))
    assert [film.boxes for film in films] == [{"left lung": (1, 2, 3, 4)}] * 2


def test_other_names_of_splits(rows, write):
    rows[0]["split"], rows[1]["split"], rows[2]["split"] = "val", "Train", None
    assert [film.split for film in read_films(write(rows[:3]))[0]] == ["validation", "train", ""]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"image": "films/none.png"}, "line 2: column 'image': no such file"),
        ({"image": None}, "line 2: column 'image' is empty"),
        ({"image": "films.jsonl"}, "line 2 cannot be read as an image"),
        ({"boxes": None}, "line 2: column 'boxes' is empty"),
        ({"boxes": []}, "line 2: no box"),
        ({"boxes": 7}, "line 2: boxes must be a list"),
        ({"boxes": "[{"}, "line 2: column 'boxes': not valid JSON"),
        ({"boxes": [{"region": "svc"}]}, r"line 2: boxes\[0\] must have 'region' and 'box'"),
        ({"boxes": [{"region": "left lunge", "box": [1, 2, 3, 4]}]}, "line 2: .*did you mean 'left lung'"),
        ({"boxes": [{"region": "svc", "box": [1, 2, 3, 4]}] * 2}, r"line 2: boxes\[1\]: region 'svc' is given twice"),
        ({"boxes": {"svc": [1, 2, 3, 4], "SVC": [1, 2, 3, 4]}}, "line 2: .*'svc' is given twice"),
        ({"boxes": {"svc": [3, 2, 3, 4]}}, r"line 2: .*'svc'\] is degenerate"),
        ({"boxes": {"svc": [-1, 2, 3, 4]}}, r"line 2: .*'svc'\] lies outside the image"),
        ({"boxes": {"svc": [1, 2, 3, 4000]}}, r"line 2: .*'svc'\] lies outside the image of \d+ x \d+"),
        ({"boxes": {"svc": [1, 2, 3]}}, "line 2: .*must be four numbers"),
        ({"boxes": {"svc": [1, 2, 3, float("nan")]}}, "line 2: .*four numbers|line 2.*NaN"),
        ({"split": "trian"}, "line 2: unknown split 'trian': did you mean 'train'"),
    ],
)
def test_a_wrong_row_is_named(rows, write, change, message):
    with pytest.raises(InputError, match=message):
        read_films(write([rows[0], rows[1] | change]))


def test_missing_columns_and_files(rows, write, tmp_path):
    with pytest.raises(InputError, match="'boxes' is missing"):
        read_films(write([{"image": rows[0]["image"]}]))
    with pytest.raises(InputError, match="no such file or folder"):
        read_films(tmp_path / "none.jsonl")
    (tmp_path / "films.txt").write_text("x")
    with pytest.raises(InputError, match="cannot tell the format"):
        read_films(tmp_path / "films.txt")


@pytest.fixture
def coco(tmp_path):
    Image.new("L", (40, 30)).save(tmp_path / "a.png")
    return {
        "images": [{"id": 7, "file_name": "a.png", "patient": "p"}],
        "categories": [{"id": 1, "name": "svc"}, {"id": 2, "name": "Left Lung"}],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 2, "bbox": [10, 5, 20, 25]},
            {"id": 2, "image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4]},
        ],
    }


def read_coco(folder, content):
    (folder / "coco.json").write_text(json.dumps(content), "utf-8")
    return read_films(folder / "coco.json")[0]


def test_coco_boxes_become_corners(tmp_path, coco):
    (film,) = read_coco(tmp_path, coco)
    assert film.boxes == {"left lung": (10, 5, 30, 30), "svc": (1, 2, 4, 6)}
    assert (film.width, film.height, film.patient) == (40, 30, "p")


@pytest.mark.parametrize(
    ("part", "entry", "message"),
    [
        ("annotations", {"bbox": [10, 5, 31, 25]}, r"images\[0\]: boxes\['left lung'\] lies outside the image"),
        ("annotations", {"bbox": [10, 5, 0, 25]}, r"images\[0\]: .* is degenerate"),
        ("annotations", {"bbox": "10"}, r"annotations\[0\]: 'bbox' must be four numbers"),
        ("annotations", {"image_id": 8}, r"annotations\[0\]: its 'image_id' is not in 'images'"),
        ("annotations", {"category_id": 8}, r"annotations\[0\]: its 'category_id' is not in 'categories'"),
        ("annotations", {"category_id": 1}, r"images\[0\]: boxes\[1\]: region 'svc' is given twice"),
        ("categories", {"name": "svcc"}, r"images\[0\]: .*did you mean 'svc'"),
        ("images", {"file_name": "b.png"}, r"images\[0\]: column 'file_name': no such file"),
    ],
)
def test_a_wrong_entry_of_coco_is_named(tmp_path, coco, part, entry, message):
    coco[part][0] |= entry
    with pytest.raises(InputError, match=message):
        read_coco(tmp_path, coco)


def test_coco_without_categories_is_refused(tmp_path, coco):
    with pytest.raises(InputError, match="expected a list 'categories'"):
        read_coco(tmp_path, {**coco, "categories": None})


@pytest.fixture
def imagenome(tmp_path):
    """Return the invented source and an empty folder for its films."""
    films = tmp_path / "films" / "p10"
    films.mkdir(parents=True)
    return chest_imagenome(tmp_path / "source"), films


def save(folder, *names, size=(2300, 2400)):
    for name in names:
        Image.new("1", size).save(folder / f"{name}.png")


def test_gold_images_are_the_test_split(imagenome):
    source, films = imagenome
    save(films, "aaa-1", "bbb-1")
    (film,), notes = read_films(source, films.parent)
    assert (film.split, Path(film.image).name) == ("test", "aaa-1.png")
    assert film.boxes["right lung"] == (0, 120, 1100, 2300)  # it began at -40
    # both silver images are of the patient of a gold image; the second gold image has no film
    assert notes == [
        f"not used: 1 images have no film in {films.parent}",
        "not used: 2 silver images are of patients in the gold dataset, which is the test split",
    ]


def test_silver_images_keep_the_publishers_split_and_are_clipped(tmp_path):
    source, films = tmp_path / "source", tmp_path / "films"
    for folder in (source / "silver_dataset" / "splits", source / "silver_dataset" / "scene_graph", films):
        folder.mkdir(parents=True)
    for image, patient, split in (("b-1", 1, "train"), ("b-2", 2, "valid")):
        (source / "silver_dataset" / "scene_graph" / f"{image}_SceneGraph.json").write_text(
            json.dumps(scene_graph(image, patient_id=patient))
        )
        (source / "silver_dataset" / "splits" / f"{split}.csv").write_text(f"dicom_id\n{image}\n")
    save(films, "b-1", size=(2300, 2400))
    save(films, "b-2", size=(1100, 2400))  # the left lung begins at 1200, the mediastinum ends at 1500
    found, notes = read_films(source, films)
    assert [(film.patient, film.split) for film in found] == [("1", "train"), ("2", "validation")]
    assert found[1].boxes == {"mediastinum": (700, 0, 1100, 2000)}
    assert notes == ["not used: 1 boxes lie outside their film"]


def test_films_of_another_size_than_the_boxes_are_refused(imagenome):
    source, films = imagenome
    save(films, "aaa-1", "aaa-2", size=(224, 224))
    with pytest.raises(InputError, match=r"aaa-2: 1 of 1 boxes lie outside the film of 224 x 224: .*original size"):
        read_films(source, films)


def test_chest_imagenome_needs_its_films(imagenome):
    source, films = imagenome
    with pytest.raises(InputError, match="Chest ImaGenome has no films: give --images"):
        read_films(source)
    with pytest.raises(InputError, match="has no film of"):
        read_films(source, films)
    with pytest.raises(InputError, match="no such folder"):
        read_films(source, films / "none")
