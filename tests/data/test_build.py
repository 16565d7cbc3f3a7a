"""Building a dataset: the checks before anything is written, and the treatment of existing folders."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from invented_sources import radpref

from radeval_core.data.build import build, check_rows
from radeval_core.data.cards import check_card, front_matter, with_sizes
from radeval_core.data.catalogue import dataset_names, get_dataset
from radeval_core.data.dataset import Dataset, DatasetPart, read_manifest, write
from radeval_core.data.radcheck import generate
from radeval_core.errors import InputError, OutputError

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("errors", pa.int64()),
        pa.field("score", pa.float64()),
        pa.field("sure", pa.bool_()),
        pa.field("words", pa.list_(pa.struct([pa.field("text", pa.string(), nullable=False)]))),
    ]
)
ROW = {"id": "a", "errors": 1, "score": 0.5, "sure": True, "words": [{"text": "left"}]}
TOY = Dataset(
    "toy", "a toy", "a file", "MIT", {"pairs": DatasetPart(SCHEMA, ("train", "test"))}, read=lambda source: {}
)
CARD = {
    "license": "mit",
    "configs": [
        {
            "config_name": "pairs",
            "data_files": [
                {"split": "train", "path": "pairs/train.parquet"},
                {"split": "test", "path": "pairs/test.parquet"},
            ],
        }
    ],
    "dataset_info": [
        {
            "config_name": "pairs",
            "features": [
                {"name": "id", "dtype": "string"},
                {"name": "errors", "dtype": "int64"},
                {"name": "score", "dtype": "float64"},
                {"name": "sure", "dtype": "bool"},
                {"name": "words", "list": [{"name": "text", "dtype": "string"}]},
            ],
        }
    ],
}


def tables(*rows):
    return {"pairs": {"train": [], "test": list(rows)}}


def card(**changes):
    return f"---\n{yaml.safe_dump({**CARD, **changes})}---\n# Toy\n\na --- b\n"


# rows


def test_rows_of_the_declared_types_pass():
    nothing = {**ROW, "id": "b", "errors": None, "score": 1, "sure": None, "words": []}
    check_rows(TOY, tables(ROW, nothing))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"errors": "1"}, "'errors' must be int64, got '1'"),
        ({"errors": 1.0}, "'errors' must be int64, got 1.0"),
        ({"errors": True}, "'errors' must be int64, got True"),
        ({"errors": 2**63}, "'errors' must be int64"),
        ({"score": float("nan")}, "'score' must be double, got nan"),
        ({"score": "0.5"}, "'score' must be double"),
        ({"sure": 1}, "'sure' must be bool, got 1"),
        ({"id": None}, "'id' must be string, got None"),
        ({"words": "left"}, "'words' must be a list, got 'left'"),
        ({"words": ["left"]}, "an item of 'words' must have the fields text, got 'left'"),
        ({"words": [{"text": None}]}, "'text' must be string, got None"),
        ({"words": [{"text": "a", "more": 1}]}, "must have the fields text, got text, more"),
        ({"more": 1}, "row must have the fields id, errors, score, sure, words, got .*more"),
    ],
)
def test_a_row_of_wrong_type_is_reported(change, message):
    with pytest.raises(InputError, match=f"toy: pairs/test: row 2 .*{message}"):
        check_rows(TOY, tables(ROW, {**ROW, "id": "b", **change}))


def test_a_missing_column_is_not_filled():
    with pytest.raises(InputError, match=r"row 1 \(id a\): row must have the fields"):
        check_rows(TOY, tables({key: value for key, value in ROW.items() if key != "score"}))


def test_a_duplicate_id_is_refused_also_across_splits():
    with pytest.raises(InputError, match=r"pairs/test: row 1 \(id a\): duplicate id, already used in train row 1"):
        check_rows(TOY, {"pairs": {"train": [ROW], "test": [ROW]}})


@pytest.mark.parametrize("wrong", [{}, {"pairs": {"test": []}}, {"pairs": {"train": [], "test": [], "dev": []}}])
def test_configs_and_splits_must_be_the_declared_ones(wrong):
    with pytest.raises(InputError, match="toy: expected configs and splits"):
        check_rows(TOY, wrong)


# cards


def test_a_card_that_matches_the_code_passes():
    check_card(TOY, card())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"license": ""}, "field 'license' is missing"),
        ({"configs": []}, "'configs' must be"),
        (
            {"configs": [{"config_name": "pairs", "data_files": CARD["configs"][0]["data_files"][:1]}]},
            "'configs' must be",
        ),
        ({"dataset_info": []}, "'dataset_info' must be a list with pairs"),
        (
            {"dataset_info": [{"config_name": "pairs", "features": [{"name": "id", "dtype": "string"}]}]},
            "features of 'pairs' must be",
        ),
    ],
)
def test_a_card_that_differs_from_the_code_is_refused(change, message):
    with pytest.raises(InputError, match=f"card of toy: {message}"):
        check_card(TOY, card(**change))


@pytest.mark.parametrize(
    "text", ["# Toy\n", "---\nlicense: mit\n", "text\n---\nlicense: mit\n---\n", "---\n- a\n---\n"]
)
def test_a_card_without_fields_is_refused(text):
    with pytest.raises(InputError, match="must begin with YAML fields"):
        front_matter(text)


def test_the_built_card_states_the_sizes_and_keeps_the_text():
    matter, text = front_matter(with_sizes(card(), {"pairs": {"train": (0, 0), "test": (3, 120)}}))
    assert text == "# Toy\n\na --- b\n"
    assert matter["dataset_info"][0]["splits"] == [
        {"name": "train", "num_bytes": 0, "num_examples": 0},
        {"name": "test", "num_bytes": 120, "num_examples": 3},
    ]
    assert matter["configs"] == CARD["configs"]


# folders


def test_the_revision_depends_only_on_the_rows(tmp_path):
    first = write(TOY, tables(ROW), "one", tmp_path / "a")
    again = write(TOY, tables(ROW), "two", tmp_path / "b")
    other = write(TOY, tables({**ROW, "errors": 2}), "one", tmp_path / "c")
    moved = write(TOY, {"pairs": {"train": [ROW], "test": []}}, "one", tmp_path / "d")
    assert first["revision"] == again["revision"]
    assert len({first["revision"], other["revision"], moved["revision"]}) == 3
    assert read_manifest(tmp_path / "a") == first


def test_a_build_replaces_an_earlier_one(tmp_path):
    write(TOY, tables(ROW, {**ROW, "id": "b"}), "one", tmp_path)
    write(TOY, tables(ROW), "two", tmp_path)
    assert pq.read_table(tmp_path / "pairs" / "test.parquet", partitioning=None).num_rows == 1
    assert (tmp_path / "README.md").read_text() == "two"


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty and not a built dataset"):
        write(TOY, tables(ROW), "one", tmp_path)
    with pytest.raises(InputError, match="is a file; give a folder"):
        write(TOY, tables(ROW), "one", tmp_path / "mine.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_folder_of_another_dataset_is_left_alone(tmp_path):
    build("radpref", radpref(tmp_path), tmp_path / "out")
    with pytest.raises(InputError, match="contains the dataset 'radpref'; give another folder for 'toy'"):
        write(TOY, tables(ROW), "one", tmp_path / "out")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"dataset": "toy"}', '{"dataset": "toy", "revision": "1", "rows": {}, "files": []}']
)
def test_a_broken_manifest_is_reported(tmp_path, text):
    (tmp_path / "radeval.json").write_text(text)
    with pytest.raises(InputError, match=r"radeval.json: .*build the dataset again"):
        read_manifest(tmp_path)


# sources


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(InputError, match="unknown dataset 'redpref': did you mean 'radpref'"):
        build("redpref", None, "out")


@pytest.mark.parametrize("name", [n for n in dataset_names() if not get_dataset(n).generate])
def test_a_missing_or_wrong_source_is_refused(name, tmp_path):
    with pytest.raises(InputError, match=f"{name} needs --source PATH"):
        build(name, None, tmp_path / "out")
    with pytest.raises(InputError, match="does not exist; expected"):
        build(name, tmp_path / "nowhere", tmp_path / "out")
    with pytest.raises(InputError, match="is not generated; omit --seed"):
        build(name, tmp_path, tmp_path / "out", seed=1)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty"):
        build(name, tmp_path / "empty", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_generated_dataset_takes_a_seed_and_no_source(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "NER_ROUNDS", 1)
    monkeypatch.setattr(generate, "EVAL_ROUNDS", 1)
    with pytest.raises(InputError, match="radcheck is generated; omit --source"):
        build("radcheck", tmp_path, tmp_path / "out")
    default, first, zero = (build("radcheck", None, tmp_path / "out", seed)["revision"] for seed in (None, 1, 0))
    assert default == zero != first


def test_a_build_that_cannot_be_written_leaves_the_earlier_one(tmp_path, monkeypatch):
    source = radpref(tmp_path)
    build("radpref", source, tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("radeval_core.data.dataset.pq.write_table", full)
    with pytest.raises(OutputError, match=r"cannot write radpref to .*out: No space left on device"):
        build("radpref", source, tmp_path / "out")
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before
    monkeypatch.undo()
    assert build("radpref", source, tmp_path / "out")["dataset"] == "radpref"
    assert not list(tmp_path.glob(".*"))


def test_a_folder_that_cannot_be_written_is_found_out_before_the_source_is_read(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    monkeypatch.setattr("radeval_core.data.build._tables", lambda *_: pytest.fail("read before the folder was checked"))
    with pytest.raises(InputError, match=r"cannot write radpref to .*Read-only"):
        build("radpref", radpref(tmp_path), tmp_path / "out")


def test_a_users_file_in_a_built_folder_is_not_deleted(tmp_path):
    write(TOY, tables(ROW), "one", tmp_path)
    (tmp_path / "pairs" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"contains pairs/notes.txt, which is not of the dataset"):
        write(TOY, tables(ROW), "two", tmp_path)
    assert (tmp_path / "README.md").read_text() == "one"
