"""A run in parts gives the result of one process: numbers, intervals, rows, signatures, in every format."""

import csv
import json
import stat
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from one_process import score_in_parts

from radeval_core import api, io
from radeval_core.cluster.inputs import input_paths
from radeval_core.cluster.job import ScoringJob
from radeval_core.cluster.parts import read_facts
from radeval_core.errors import InputError

FINDINGS = ("pleural effusion", "pneumothorax", "opacity", "nodule", "atelectasis")


def pairs(count, first=0, ids=True):
    rows = []
    for i in range(first, first + count):
        one, other = FINDINGS[i % 5], FINDINGS[(i * 3 + 1) % 5]
        row = {
            "prediction": f"FINDINGS: Left {one} of {i} mm. No {other}.",
            "reference": f"FINDINGS: Left {one} of {2 * i} mm in the base.",
        }
        rows.append({"id": f"case-{i}", **row} if ids and i % 4 else row)  # some rows without an id
    return rows


def write(path, rows):
    if path.suffix == ".parquet":
        schema = pyarrow.schema([(name, pyarrow.string()) for name in ("id", "prediction", "reference")])
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), path, row_group_size=7)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, ["id", "prediction", "reference"])
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr("radeval_core.runner.CHUNK_PAIRS", 8)


def same(found, expected):
    assert list(found.rows()) == list(expected.rows())
    assert found.summary() == expected.summary()
    assert found.table() == expected.table()


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_the_result_is_that_of_one_process_bit_for_bit(tmp_path, ending):
    path = write(tmp_path / f"pairs.{ending}", pairs(43))
    names = ("bleu", "rouge", "green", "cider")
    found, runs = score_in_parts(ScoringJob(names), [path], tmp_path / "parts")
    same(found, api.score(io.open_pairs(path), list(names)))
    assert len(runs) == 6 and [run.start for run in runs] == [0, 8, 16, 24, 32, 40]


def test_files_of_a_folder_are_one_corpus(tmp_path):
    """Chunks end with a file, so only metrics that do not depend on the chunks are the same bit for bit."""
    rows = pairs(40)
    (tmp_path / "pairs").mkdir()
    write(tmp_path / "pairs" / "b.csv", rows[13:])
    write(tmp_path / "pairs" / "a.jsonl", rows[:13])
    whole = write(tmp_path / "whole.jsonl", rows)
    found, _ = score_in_parts(ScoringJob(("bleu", "cider")), input_paths(str(tmp_path / "pairs")), tmp_path / "parts")
    same(found, api.score(io.open_pairs(whole), ["bleu", "cider"]))


def test_sections_and_contexts_are_joined(tmp_path):
    rows = [{**row, "age": "60" if i > 20 else None} for i, row in enumerate(pairs(30, ids=False))]
    path = write(tmp_path / "pairs.jsonl", rows)
    job = ScoringJob(("crimson",), section="findings")
    found, _ = score_in_parts(job, [path], tmp_path / "parts")
    reader = io.open_pairs(path, further=api.columns_read(["crimson"]))
    same(found, api.score(reader, ["crimson"], section="findings"))
    assert "context:some" in found.results["crimson"].signature


def test_parts_hold_no_report_and_only_their_owner_reads_them(tmp_path):
    path = write(tmp_path / "pairs.jsonl", pairs(20))
    folder = tmp_path / "parts"
    score_in_parts(ScoringJob(("green", "cider")), [path], folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["manifest.json", *(f"part-{i:07d}.parquet" for i in range(3))]
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert b"Left" not in file.read_bytes() and b"effusion" not in file.read_bytes()
    columns = pyarrow.parquet.read_table(folder / "part-0000000.parquet", partitioning=None).to_pydict()
    assert all(isinstance(v, (int, float)) for name, column in columns.items() if name != "id" for v in column)


def test_a_run_that_was_cut_short_goes_on_where_it_was(tmp_path):
    path, folder = write(tmp_path / "pairs.jsonl", pairs(60)), tmp_path / "parts"
    job = ScoringJob(("bleu", "cider"))
    expected, _ = score_in_parts(job, [path], folder)
    kept = {file.name: file.stat().st_mtime_ns for file in folder.glob("*.parquet")}
    (folder / "part-0000002.parquet").unlink()  # never written
    whole = (folder / "part-0000005.parquet").read_bytes()
    (folder / "part-0000005.parquet").write_bytes(whole[: len(whole) // 2])  # half-written
    (folder / ".part-0000006.parquet.abc.radeval.part").write_bytes(whole)  # of a killed process
    found, runs = score_in_parts(job, [path], folder)
    assert [part.number for run in runs for part in run.parts] == [2, 5]
    same(found, expected)
    after = {file.name: file.stat().st_mtime_ns for file in folder.glob("*.parquet")}
    assert {name for name in kept if after[name] != kept[name]} == {"part-0000002.parquet", "part-0000005.parquet"}
    assert not list(folder.glob(".*.part"))


def test_parts_of_other_reports_or_settings_are_not_used(tmp_path):
    folder = tmp_path / "parts"
    rows = pairs(24)
    path = write(tmp_path / "pairs.jsonl", rows)
    score_in_parts(ScoringJob(("bleu",)), [path], folder)
    rows[10]["prediction"] += " Edema."
    write(path, rows)
    _, runs = score_in_parts(ScoringJob(("bleu",)), [path], folder)
    assert [part.number for run in runs for part in run.parts] == [1]  # the others have the same pairs
    found, runs = score_in_parts(ScoringJob(("bleu",), options={"bleu": {"lowercase": True}}), [path], folder)
    assert sum(run.pairs for run in runs) == 24
    same(found, api.score(io.open_pairs(path), ["bleu"], options={"bleu": {"lowercase": True}}))


def test_frequencies_of_other_references_make_every_part_new(tmp_path):
    """CIDEr's weight of an n-gram depends on all references."""
    folder, path = tmp_path / "parts", write(tmp_path / "pairs.jsonl", pairs(16))
    score_in_parts(ScoringJob(("cider",)), [path], folder)
    write(path, pairs(24))
    _, runs = score_in_parts(ScoringJob(("cider",)), [path], folder)
    assert sum(run.pairs for run in runs) == 24


def test_a_column_missing_in_one_file_is_one_line_that_names_it(tmp_path):
    good = write(tmp_path / "a.jsonl", pairs(5))
    bad = write(tmp_path / "b.jsonl", [{"id": "x", "prediction": "Edema."}])
    with pytest.raises(InputError, match=r"b\.jsonl: line 1: column 'reference' is missing"):
        score_in_parts(ScoringJob(("bleu",)), [good, bad], tmp_path / "parts")


def test_a_file_that_changes_while_it_is_scored_is_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "pairs.jsonl", pairs(20))
    monkeypatch.setattr("one_process.plan_runs", changing(path))
    with pytest.raises(InputError, match=r"pairs\.jsonl was changed while it was scored: start again"):
        score_in_parts(ScoringJob(("bleu",)), [path], tmp_path / "parts")


def changing(path):
    from radeval_core.cluster.plan import plan_runs

    def plan(*arguments):
        runs = plan_runs(*arguments)
        write(path, pairs(20, first=1))
        return runs

    return plan


def test_what_needs_one_process_is_refused(tmp_path):
    path = write(tmp_path / "pairs.jsonl", pairs(3))
    with pytest.raises(InputError, match=r"option green\.summary needs all pairs in one process"):
        score_in_parts(ScoringJob(("green",), options={"green": {"summary": True}}), [path], tmp_path / "parts")
    boxed = [{**row, "boxes": {"left lung": [0, 0, 1, 1]}} for row in pairs(3)]
    with pytest.raises(InputError, match="row 1: boxes and images are read in order by one process"):
        score_in_parts(ScoringJob(("ffl_rq",)), [write(tmp_path / "boxed.jsonl", boxed)], tmp_path / "parts")
    several = [{**row, "reference": [row["reference"], "Edema."]} for row in pairs(3)]
    with pytest.raises(InputError, match=r"several\.jsonl: row 1"):
        score_in_parts(ScoringJob(("green",)), [write(tmp_path / "several.jsonl", several)], tmp_path / "parts")


def test_the_folder_of_the_parts_is_ours_alone(tmp_path):
    path = write(tmp_path / "pairs.jsonl", pairs(3))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(InputError, match="contains other files"):
        score_in_parts(ScoringJob(("bleu",)), [path], tmp_path / "mine")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="is a file"):
        score_in_parts(ScoringJob(("bleu",)), [path], tmp_path / "file")
    from radeval_core.cluster.plan import open_folder

    with open_folder(tmp_path / "parts"), pytest.raises(InputError, match="another run writes to"):
        score_in_parts(ScoringJob(("bleu",)), [path], tmp_path / "parts")


def test_empty_input_and_unknown_files(tmp_path):
    with pytest.raises(InputError, match="no pairs to score"):
        score_in_parts(ScoringJob(("bleu",)), [write(tmp_path / "empty.jsonl", [])], tmp_path / "parts")
    with pytest.raises(InputError, match="no such file"):
        input_paths(str(tmp_path / "none.jsonl"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="no files of pairs there"):
        input_paths(str(tmp_path / "folder"))
    assert [Path(p).name for p in input_paths(str(tmp_path / "*.jsonl"))] == ["empty.jsonl"]


def test_a_file_that_is_no_part_has_no_facts(tmp_path):
    assert read_facts(tmp_path / "none.parquet") is None
    pyarrow.parquet.write_table(pyarrow.table({"id": ["1"]}), tmp_path / "other.parquet")
    assert read_facts(tmp_path / "other.parquet") is None
    (tmp_path / "text.parquet").write_text("x")
    assert read_facts(tmp_path / "text.parquet") is None
