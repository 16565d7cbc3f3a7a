"""Generated films: boxes inside the film, the same seed the same films, two films per patient."""

import json

import pytest
from PIL import Image

from draw_films import write_films
from radeval_core.findings.atlas import check_boxes, region_names


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("films")
    write_films(out, patients=6, seed=1, side=96)
    return out


@pytest.fixture
def rows(folder):
    return [json.loads(line) for line in (folder / "films.jsonl").read_text("utf-8").splitlines()]


def test_every_region_has_a_box_inside_the_film(folder, rows):
    for row in rows:
        with Image.open(folder / row["image"]) as film:
            boxes = check_boxes({b["region"]: b["box"] for b in row["boxes"]}, film.width, film.height)
        assert set(boxes) == set(region_names())


def test_films_differ_and_the_lungs_are_dark(folder, rows):
    boxes = [{b["region"]: b["box"] for b in row["boxes"]} for row in rows]
    assert len({tuple(film["cardiac silhouette"]) for film in boxes}) == len(rows)
    for row, film in zip(rows, boxes, strict=True):
        with Image.open(folder / row["image"]) as image:
            grey = {name: image.getpixel(_centre(film[name])) for name in ("right mid lung zone", "cardiac silhouette")}
        assert grey["right mid lung zone"] < grey["cardiac silhouette"]


def test_a_patient_has_two_films_in_one_split(rows):
    splits = {}
    for row in rows:
        splits.setdefault(row["patient"], []).append(row["split"])
    assert [len(found) for found in splits.values()] == [2] * 6
    assert all(len(set(found)) == 1 for found in splits.values())
    assert {split for found in splits.values() for split in found} == {"train", "validation"}


def test_the_same_seed_draws_the_same_films(folder, rows, tmp_path):
    write_films(tmp_path, patients=1, seed=1, side=96)
    name = rows[0]["image"]
    assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def _centre(box):
    x1, y1, x2, y2 = box
    return int((x1 + x2) / 2), int((y1 + y2) / 2)
