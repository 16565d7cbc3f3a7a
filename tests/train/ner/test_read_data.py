"""Files and built datasets as splits."""

import json

import pytest

from radeval_core.errors import InputError
from radeval_core.train.ner.read_data import conll_sentences, read_data


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def row(number, study, **further):
    words = {"tokens": [f"word{number}", "effusion"], "tags": ["O", "B-Abnormality"]}
    return {"id": f"{study}-{number}", "study": study, **words, **further}


@pytest.fixture
def conll(tmp_path):
    path = tmp_path / "some.conll"
    path.write_text(
        "-DOCSTART- -X- O\n\nNo\tO\neffusion\tB-Non-Abnormality\n\nLungs NN B-Anatomy\nclear JJ B-Non-Abnormality\n"
        "\n-DOCSTART- O\nMass B-Abnormality\n"
    )
    return path


def test_conll_with_documents_tabs_and_further_columns(conll):
    found = list(conll_sentences(conll))
    assert [s.text for s in found] == ["No effusion", "Lungs clear", "Mass"]
    assert [s.study for s in found] == ["document 1", "document 1", "document 2"]
    assert found[1].tags == ("B-Anatomy", "B-Non-Abnormality")
    assert [s.id for s in found] == ["line 3", "line 6", "line 10"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("No O\neffusion\n", "line 2: expected a word and its tag"),
        ("No O\neffusion B-Finding\n", "line 2: tag 'B-Finding' is not in the scheme"),
        ("A O\n\nNo O\neffusion I-Disease\n", "sentence at line 3: tag 2 is I-Disease after O"),
    ],
)
def test_errors_in_conll_name_the_line(tmp_path, text, message):
    path = tmp_path / "bad.conll"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        list(conll_sentences(path))


def test_a_study_is_never_in_two_splits(tmp_path):
    rows = [row(n, f"s{n % 20}") for n in range(100)]
    data = read_data(write_rows(tmp_path / "a.jsonl", rows))
    studies = {split: {s.study for s in found} for split, found in data.splits.items()}
    assert {split: len(found) for split, found in studies.items()} == {"train": 16, "dev": 2, "test": 2}
    assert not studies["train"] & studies["test"] and not studies["dev"] & (studies["train"] | studies["test"])
    assert read_data(str(tmp_path / "a.jsonl"), seed=1).splits != data.splits


def test_the_column_split_decides(tmp_path):
    rows = [row(n, "s", split=split) for n, split in enumerate(("train", "dev", "test", "train"))]
    data = read_data(write_rows(tmp_path / "a.jsonl", rows))
    assert {split: [s.id for s in found] for split, found in data.splits.items()} == {
        "train": ["s-0", "s-3"],
        "dev": ["s-1"],
        "test": ["s-2"],
    }
    with pytest.raises(InputError, match="1 rows have no 'split'"):
        read_data(write_rows(tmp_path / "b.jsonl", [*rows, row(9, "s")]))
    with pytest.raises(InputError, match="line 1: split must be train, dev, test"):
        read_data(write_rows(tmp_path / "c.jsonl", [row(1, "s", split="valid")]))


def test_dev_and_test_of_their_own_files(tmp_path, conll):
    train = write_rows(tmp_path / "a.jsonl", [row(n, f"s{n}") for n in range(5)])
    data = read_data(train, dev=str(conll), test=str(conll))
    assert {split: len(found) for split, found in data.splits.items()} == {"train": 5, "dev": 3, "test": 3}


def test_only_some_sources_for_training_but_the_whole_test_split(tmp_path):
    rows = [
        row(n, f"s{n}", source=source, split=split)
        for n, (source, split) in enumerate((a, b) for a in "xy" for b in ("train", "dev", "test"))
    ]
    data = read_data(write_rows(tmp_path / "a.jsonl", rows))
    part = data.only(["x"])
    assert data.sources == ["x", "y"]
    assert {split: len(found) for split, found in part.splits.items()} == {"train": 1, "dev": 1, "test": 2}
    assert part.digest() != data.digest()
    with pytest.raises(InputError, match="unknown source 'z'"):
        data.only(["z"])


def test_repeated_sentences_are_counted(tmp_path):
    rows = [row(1, f"s{n}", split=split) for n, split in enumerate(("train", "dev", "test"))]
    assert read_data(write_rows(tmp_path / "a.jsonl", rows)).repeated() == 1


@pytest.mark.parametrize(
    "rows, message",
    [
        ([], "has no sentences"),
        ([row(1, "s")], "the split 'train' has no sentences"),
        ([row(n, f"s{n}", tags=["O", "O"]) for n in range(9)], "has no entities"),
    ],
)
def test_an_empty_split_is_an_error(tmp_path, rows, message):
    with pytest.raises(InputError, match=message):
        read_data(write_rows(tmp_path / "a.jsonl", rows))


def test_wrong_names(tmp_path):
    for source, message in (
        ("rate_nerr", "did you mean 'rate_ner'"),
        (str(tmp_path / "no.jsonl"), "no such file"),
        ("rexval", "rexval is not built yet|has no marked entities"),
    ):
        with pytest.raises(InputError, match=message):
            read_data(source)


@pytest.fixture
def published(tmp_path):
    """A build of RaTE-NER's layout with one invented sentence per source and split."""
    from radeval_core.data.build import build

    for folder in ("MIMIC_IV", "Radiopaedia"):
        (tmp_path / "source" / folder).mkdir(parents=True)
        for split in ("train", "dev", "test"):
            tagged = {"tokens": ["Clear", "lungs", split], "ner_tags": ["B-NON-ABNORMALITY", "B-ANATOMY", "O"]}
            (tmp_path / "source" / folder / f"{split}_IOB.json").write_text(json.dumps(tagged) + "\n")
    build("rate_ner", tmp_path / "source", tmp_path / "rate_ner")
    return str(tmp_path / "rate_ner")


def test_the_published_layout(published):
    data = read_data(published)
    assert data.provenance["config"] == "all" and data.sources == ["mimic_iv", "radiopaedia"]
    assert data.splits["dev"][0].spans == ((0, 5, "Non-Abnormality"), (6, 11, "Anatomy"))
    only = read_data(published, "mimic_iv")
    assert {s.source for found in only.splits.values() for s in found} == {"mimic_iv"}


def test_options_that_a_built_dataset_does_not_take(published):
    with pytest.raises(InputError, match="leave out --dev-data"):
        read_data(published, dev="x.conll")
    with pytest.raises(InputError, match="unknown config of rate_ner"):
        read_data(published, "alll")
