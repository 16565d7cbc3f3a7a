"""RaTE-NER: sentences, tags and the paper's statistics."""

import json
import shutil

import pytest
from invented_readings import NER, TAGS, rate_ner

from radeval_core.data.build import build
from radeval_core.data.rate_ner import DATASET, LABELS, compare, entities, published, read, remarks, statistics
from radeval_core.errors import InputError


@pytest.fixture
def source(tmp_path):
    return rate_ner(tmp_path)


def write(source, rows):
    path = source / "MIMIC_IV" / "dev_IOB.json"
    path.write_text(json.dumps(rows), "utf-8")
    return path


def test_sentence_by_hand(source):
    row = read(source)["mimic_iv"]["train"][1]
    assert row["id"] == "mimic_iv-train-1" and row["source"] == "mimic_iv"
    assert row["text"] == "Left base opacity and opacity"
    assert row["tags"] == ["B-Anatomy", "I-Anatomy", "B-Abnormality", "O", "B-Abnormality"]
    assert row["entities"] == [
        {"start": 0, "end": 9, "label": "Anatomy", "text": "Left base"},
        {"start": 10, "end": 17, "label": "Abnormality", "text": "opacity"},
        {"start": 22, "end": 29, "label": "Abnormality", "text": "opacity"},
    ]


def test_entities_side_by_side_and_at_the_end():
    tags = ["B-Disease", "B-Disease", "I-Disease", "O", "B-Anatomy", "I-Anatomy"]
    found = list(entities(["a", "b", "c", "d", "e", "f"], tags))
    assert [(entity["text"], entity["label"]) for entity in found] == [
        ("a", "Disease"),
        ("b c", "Disease"),
        ("e f", "Anatomy"),
    ]


def test_all_is_both_sources(source):
    tables = read(source)
    for split in ("train", "dev", "test"):
        assert tables["all"][split] == tables["mimic_iv"][split] + tables["radiopaedia"][split]
    assert len(tables["all"]["train"]) == sum(len(splits["train"]) for splits in NER.values()) == 4


def test_entities_match_their_positions(source):
    for splits in read(source).values():
        for row in (row for rows in splits.values() for row in rows):
            for entity in row["entities"]:
                assert row["text"][entity["start"] : entity["end"]] == entity["text"]


def test_statistics_by_hand(source):
    counted = statistics(read(source))
    train = counted["mimic_iv"]["train"]
    assert train["sentences"] == 3
    # two of opacity, one Opacity and one nodule: four entities, three spellings
    assert train["entities"] == {
        "Abnormality": [4, 3],
        "Non-Abnormality": [1, 1],
        "Disease": [0, 0],
        "Non-Disease": [0, 0],
        "Anatomy": [1, 1],
    }
    assert counted["radiopaedia"]["dev"] == {"sentences": 1, "entities": {label: [0, 0] for label in LABELS}}


def test_published_totals_match_the_paper():
    figures = published().values()
    sentences = {split: sum(of[split]["sentences"] for of in figures) for split in ("train", "dev", "test")}
    assert sentences == {"train": 40593, "dev": 4923, "test": 4853}
    totals = {
        split: [sum(pair[i] for of in figures for pair in of[split]["entities"].values()) for i in (0, 1)]
        for split in sentences
    }
    assert totals == {"train": [107909, 60682], "dev": [13065, 9800], "test": [13159, 9434]}


def test_the_comparison_lists_what_differs(source, monkeypatch):
    tables = read(source)
    figures = statistics(tables)
    figures["mimic_iv"]["train"]["entities"]["Abnormality"] = [4, 2]
    monkeypatch.setattr("radeval_core.data.rate_ner.published", lambda: figures)
    assert len(compare(tables)) == 2 * 3 * 11
    assert remarks(tables) == [
        "65 of 66 figures match tables 1 and 2 of the paper",
        "mimic_iv train: Abnormality, distinct: 3, published 2",
    ]


def test_a_missing_source_is_not_compared(source):
    shutil.rmtree(source / "MIMIC_IV")
    tables = read(source)
    assert tables["mimic_iv"] == {"train": [], "dev": [], "test": []}
    assert tables["all"] == tables["radiopaedia"]
    assert {figure["source"] for figure in compare(tables)} == {"radiopaedia"}
    assert remarks(tables)[0] == "mimic_iv is missing"


def test_the_build_reports_the_comparison(source, tmp_path):
    manifest = build("rate_ner", source, tmp_path / "built")
    assert "mimic_iv train: sentences: 3, published 10588" in manifest["remarks"]
    assert manifest["remarks"][-1] == "and 56 more differ" and len(manifest["remarks"]) == 12


def test_tags_may_be_names(source):
    write(source, [{"tokens": ["Gas"], "ner_tags": ["B-Abnormality"]}])
    assert read(source)["mimic_iv"]["dev"][0]["tags"] == ["B-Abnormality"]


GOOD = {"tokens": ["Gas"], "ner_tags": [0]}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"tokens": ["No", "gas"], "ner_tags": [0]}, "2 tokens but 1 tags"),
        ({"tokens": ["Gas"]}, "expected lists 'tokens' and 'ner_tags'; found 'tokens'"),
        ({"tokens": ["Gas", ""], "ner_tags": [0, 0]}, "'tokens' must be non-empty texts"),
        ({"tokens": [], "ner_tags": []}, "'tokens' must be non-empty texts"),
        ({"tokens": ["Gas"], "ner_tags": [99]}, "unknown tag 99; known: O, B-Abnormality"),
        ({"tokens": ["Gas"], "ner_tags": ["B-Finding"]}, "unknown tag 'B-Finding'"),
        ({"tokens": ["Gas"], "ner_tags": [True]}, "unknown tag True"),
        ({"tokens": ["Gas"], "ner_tags": ["I-Disease"]}, "tag 1 is I-Disease after O: it must follow B-Disease"),
        (
            {"tokens": ["Gas", "bubble"], "ner_tags": ["B-Disease", "I-Anatomy"]},
            "tag 2 is I-Anatomy after B-Disease",
        ),
        (["Gas"], "expected a JSON object, got list"),
    ],
)
def test_bad_rows_name_file_and_row(source, row, message):
    write(source, [GOOD, row])
    with pytest.raises(InputError, match=rf"MIMIC_IV/dev_IOB\.json: row 2: {message}"):
        read(source)


def test_bad_files(source, tmp_path):
    with pytest.raises(InputError, match="expected at least one of the folders MIMIC_IV and Radiopaedia"):
        read(source / "MIMIC_IV")
    (source / "Radiopaedia" / "dev_IOB.json").write_text('{"tokens": ["Gas"]\n', "utf-8")
    with pytest.raises(InputError, match=r"Radiopaedia/dev_IOB\.json: line 1, column \d+: not valid JSON"):
        read(source)
    (source / "Radiopaedia" / "dev_IOB.json").unlink()
    with pytest.raises(InputError, match=r"Radiopaedia/dev_IOB\.json: no such file"):
        read(source)


def test_numeric_tags_need_their_names(source):
    (source / "idx2label.json").unlink()
    with pytest.raises(InputError, match=r"train_IOB\.json: line 1: the tags are numbers; put .*idx2label\.json"):
        read(source)
    (source / "idx2label.json").write_text(json.dumps({"0": "B-PERSON"}), "utf-8")
    with pytest.raises(InputError, match=r"idx2label\.json: 0: unknown tag 'B-PERSON'"):
        read(source)
    (source / "idx2label.json").write_text(json.dumps(TAGS), "utf-8")
    with pytest.raises(InputError, match=r"idx2label\.json: expected an object"):
        read(source)


def test_it_may_not_be_published():
    assert not DATASET.publishable
