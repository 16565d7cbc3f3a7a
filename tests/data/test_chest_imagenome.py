"""The reader of Chest ImaGenome, on invented files in its layout."""

import json

import pytest
from invented_imagenome import chest_imagenome, scene_graph

from radeval_core.cli import main
from radeval_core.data.chest_imagenome import DATASET, GOLD_BOXES, GOLD_FINDINGS, read
from radeval_core.errors import InputError


@pytest.fixture
def source(tmp_path):
    return chest_imagenome(tmp_path / "source")


def test_gold_boxes_and_findings(source):
    first, second = read(source)["images"]["gold"]
    assert (first["id"], first["study"], first["patient"], first["origin"]) == ("aaa-1", "50", "10", "gold")
    assert json.loads(first["boxes"]) == {"left lung": [1200, 100, 2200, 2300], "right lung": [0, 120, 1100, 2300]}
    assert first["unusable_boxes"] == 3  # no area, no region, a second box of the same region
    assert first["findings"] == [
        "anatomicalfinding|yes|lung opacity|lower lung zone|left|",
        "anatomicalfinding|no|enlarged cardiac silhouette|cardiac silhouette||",
    ]
    assert (second["id"], second["study"], second["findings"]) == ("aaa-2", "", [])


def test_scene_graphs_of_an_archive(source):
    one, other = read(source)["images"]["silver"]
    assert [one["id"], other["id"]] == ["bbb-1", "bbb-2"] and [one["origin"], other["origin"]] == ["validation", ""]
    assert json.loads(one["boxes"]) == {"left lung": [1200, 100, 2200, 2300], "mediastinum": [700, 0, 1500, 2000]}
    assert one["findings"] == [
        "nlp|yes|abnormal|lung|left|mild",
        "anatomicalfinding|yes|lung opacity|lung|left|mild",
        "disease|no|pneumonia|lung|left|",
    ]
    assert (one["view"], one["study"], one["patient"]) == ("AP", "50", "10")


def test_a_folder_of_scene_graphs_and_an_archive_alone(source, tmp_path):
    expected = [{**row, "origin": ""} for row in read(source)["images"]["silver"]]
    folder = tmp_path / "graphs"
    folder.mkdir()
    for image in ("bbb-1", "bbb-2"):
        (folder / f"{image}_SceneGraph.json").write_text(json.dumps(scene_graph(image)))
    for part in (folder, source / "silver_dataset" / "scene_graph.zip"):
        tables = read(part)
        assert tables["images"] == {"gold": [], "silver": expected}
        assert DATASET.remarks(tables) == ["gold: not in the source"]


def test_the_built_boxes_score_pairs_by_id(source, tmp_path, capsys):
    out = tmp_path / "built"
    assert main(["data", "build", "chest_imagenome", "--source", str(source), "--out", str(out)]) == 0
    assert "gold: 3 boxes are not used" in " ".join(capsys.readouterr().out.split())
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "aaa-1", "prediction": "Left lung opacity.", "reference": "Left lung opacity."}))
    option = f"ffl_rq.boxes_file={out / 'images' / 'gold.parquet'}"
    details = tmp_path / "details.jsonl"
    assert main(["score", str(pairs), "--metrics", "ffl_rq", "--option", option, "--details", str(details)]) == 0
    found = json.loads(details.read_text())["details"]["ffl_rq"]
    assert found["prediction"][0]["boxes"] == {"left lung": [1200, 100, 2200, 2300]}


@pytest.mark.parametrize(
    "graph, message",
    [
        ([], "expected a scene graph with a list of 'objects'"),
        (scene_graph("a", objects=[{"bbox_name": "left lung"}]), "object 0: 'original_x1' must be a number, got None"),
        (scene_graph("a", objects=[3]), "object 0: expected an object, got int"),
        (
            scene_graph("a", attributes=[{"bbox_name": "left lung", "attributes": [["mild"]]}]),
            "is not category|yes or no|name",
        ),
    ],
)
def test_a_bad_scene_graph_is_refused_with_its_file(tmp_path, graph, message):
    (tmp_path / "a_SceneGraph.json").write_text(json.dumps(graph))
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert "a_SceneGraph.json" in str(caught.value) and message in str(caught.value)


def test_bad_gold_files_are_refused_with_file_and_line(source):
    findings = source / GOLD_FINDINGS
    findings.write_text(findings.read_text().replace("\t1\tlung opacity", "\t2\tlung opacity", 1))
    with pytest.raises(InputError, match="line 2: 'relation' must be from 0 to 1, got 2"):
        read(source)
    (source / GOLD_BOXES).write_text("image_id,bbox_name\n")
    with pytest.raises(InputError, match="line 1: column 'original_x1' is missing"):
        read(source)


def test_a_source_without_known_files_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected gold_dataset/gold_bbox_coordinate"):
        read(tmp_path)
