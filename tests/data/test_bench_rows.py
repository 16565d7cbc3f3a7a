"""Built folders as benchmark rows: choice of config and split, lookup by name, and errors."""

from dataclasses import replace

import pytest
from invented_sources import radpref, rate_ner, rexval

from radeval_core.data import bench_rows
from radeval_core.data.bench_rows import find_data, read_built
from radeval_core.data.build import build
from radeval_core.errors import InputError


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    for name, source in (("rexval", rexval), ("radpref", radpref), ("rate_ner", rate_ner)):
        files = tmp_path_factory.mktemp(name)
        build(name, source(files), root / name)
    return root


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RADEVAL_DATA", raising=False)
    return tmp_path


def test_defaults_and_choices(folders):
    assert len(read_built(folders / "rexval").rows) == 200
    assert len(read_built(folders / "rexval", "split").rows) == 40
    assert len(read_built(folders / "rexval", "split", "train").rows) == 160
    assert len(read_built(folders / "radpref", None, None).rows) == 6


def test_a_dataset_without_expert_numbers_is_refused(folders, monkeypatch):
    rexval = bench_rows.get_dataset("rexval")
    silent = replace(rexval, configs={name: replace(part, bench=None) for name, part in rexval.configs.items()})
    monkeypatch.setattr(bench_rows, "get_dataset", lambda name: silent)
    with pytest.raises(InputError, match="rexval has no expert ratings"):
        read_built(folders / "rexval")


@pytest.mark.parametrize(
    ("name", "config", "split", "message"),
    [
        ("rexval", "spilt", None, "unknown benchmark config of rexval 'spilt': did you mean 'split'"),
        ("rexval", "all", "train", "unknown split of rexval all 'train': .*available: test"),
        ("nothing", None, None, "is not a built dataset: no radeval.json in it"),
    ],
)
def test_a_wrong_folder_config_or_split_is_reported(folders, name, config, split, message):
    with pytest.raises(InputError, match=message):
        read_built(folders / name, config, split)


def test_a_changed_file_is_refused(tmp_path):
    build("radpref", radpref(tmp_path), tmp_path / "out")
    file = tmp_path / "out" / "cases" / "test.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"test.parquet: changed since it was built"):
        read_built(tmp_path / "out")
    file.unlink()
    with pytest.raises(InputError, match=r"test.parquet: cannot be read"):
        read_built(tmp_path / "out")


@pytest.mark.slow
def test_radcheck_is_generated_if_it_is_not_found(nowhere):
    read = read_built(find_data("radcheck"))
    assert len(read.rows) == 448
    assert read.provenance == {"dataset": "radcheck", "revision": "fc4200318c59", "config": "eval", "split": "test"}
    for row in read.rows:
        counts = row["expert"]["categories"].values()
        assert sum(c["significant"] + c["insignificant"] for c in counts) == row["expert"]["errors"]
        assert sum(c["significant"] for c in counts) == row["expert"]["significant_errors"]
    marked = read_built(find_data("radcheck"), "ner")
    assert (marked.kind, marked.provenance["split"]) == ("entities", "test")
    assert set(marked.rows[0]) == {"id", "tokens", "tags"}
    triads = read_built(find_data("radcheck"), "synthetic")
    assert (triads.kind, len(triads.rows)) == ("triads", 1000)


def test_names_are_looked_up_in_the_data_folder_then_here(folders, nowhere, monkeypatch):
    (nowhere / "radpref").mkdir()
    assert find_data("radpref").resolve() == nowhere / "radpref"
    monkeypatch.setenv("RADEVAL_DATA", str(folders))
    assert find_data("radpref") == folders / "radpref"
    assert find_data(str(folders / "rexval")) == folders / "rexval"
    assert find_data(folders) == folders


def test_a_name_that_is_not_built_says_what_to_type(nowhere, monkeypatch):
    with pytest.raises(
        InputError, match=r"type: radeval data build rexval --source PATH --out rexval \(PATH: the folder"
    ):
        find_data("rexval")
    monkeypatch.setenv("RADEVAL_DATA", "here")
    with pytest.raises(InputError, match=r"looked in here/rexval and rexval; type: .* --out here/rexval "):
        find_data("rexval")
    with pytest.raises(InputError, match="unknown dataset or folder 'rexvall': did you mean 'rexval'"):
        find_data("rexvall")
    with pytest.raises(InputError, match="no folder some/where"):
        find_data("some/where")
