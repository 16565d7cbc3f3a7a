"""The export of a reader study as a dataset."""

import json

import pytest
from invented_sources import reader_study

from radeval_core.data.bench_rows import read_built
from radeval_core.data.build import build
from radeval_core.data.reader_study import DATASET
from radeval_core.errors import InputError


def test_bench_rows_are_the_exported_ones(tmp_path):
    (tmp_path / "source").mkdir()
    source = reader_study(tmp_path / "source")
    build("reader_study", source, tmp_path / "out")
    first, second = read_built(tmp_path / "out", None, None).rows
    exported = [json.loads(line) for line in (source / "rated.jsonl").read_text().splitlines()]
    assert {**first, "expert": {**first["expert"], "categories": None}} == {
        **exported[0],
        "expert": {**exported[0]["expert"], "categories": None},
    }
    assert first["expert"]["categories"]["false_finding"] == {"significant": [1, 0], "insignificant": [0, 2]}
    assert second == exported[1]
    (corrected,) = read_built(tmp_path / "out", "corrections", "test").rows
    assert corrected["lines"][0]["action"] == "rewrite" and corrected["prefilled_by"] == "fineradscore|x"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("export.json", "{}", "'readers' is missing"),
        ("export.json", '{"readers": [1]}', "must be a list of names"),
        ("rated.jsonl", '{"id": "a", "study": "s"}', "'expert' must be an object"),
        ("rated.jsonl", '{"id": "a", "study": "s", "expert": {"rating": [1]}}', r"one number per reader \(2\)"),
        ("rated.jsonl", '{"id": "a", "study": "s", "expert": {"categories": [1]}}', "object of objects"),
    ],
)
def test_wrong_exports_are_refused_with_their_place(file, content, message, tmp_path):
    (reader_study(tmp_path) / file).write_text(content)
    with pytest.raises(InputError, match=message):
        DATASET.read(tmp_path)


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"no export\.json in it"):
        DATASET.read(tmp_path)
    (tmp_path / "export.json").write_text('{"readers": ["anna"]}')
    with pytest.raises(InputError, match=r"neither rated\.jsonl nor corrections\.jsonl"):
        DATASET.read(tmp_path)
