"""Pairs kept for several passes: nothing is lost, nothing is readable on disk, and a file is read only once."""

import json
import os
import threading
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core import api, cli, io, pairs, runner, score, spool
from radeval_core.errors import InputError
from radeval_core.pairs import Pair
from radeval_core.spool import DetailSpool, PairSpool

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ROWS = [{"id": i, "prediction": f"No effusion {i}.", "reference": f"Small effusion {i}."} for i in range(5)]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Make the spool use several chunks and a file on disk for a few pairs."""
    monkeypatch.setattr(runner, "CHUNK_CHARACTERS", 60)
    monkeypatch.setattr(spool, "_MEMORY", 1)


@given(st.lists(st.builds(Pair, TEXT, st.lists(TEXT, min_size=1, max_size=3).map(tuple), st.integers() | TEXT)))
def test_pairs_come_back_as_they_were(given_pairs):
    kept = PairSpool(iter(given_pairs))
    assert list(kept) == given_pairs and len(kept) == len(given_pairs)
    assert all(one == other for one, other in zip_longest(kept, kept)), "two readers do not disturb each other"


def test_details_can_stay_in_memory():
    details = DetailSpool(in_memory=True)
    details.add({"id": 1, "details": {"green": {"matched": 2}}})
    details.add({"id": 2, "details": {"green": {"matched": 3}}})
    assert (details[1], details[0], len(details)) == ({"green": {"matched": 3}}, {"green": {"matched": 2}}, 2)
    with pytest.raises(OSError, match="fileno"):
        details._rows._file.fileno()


def test_no_report_is_readable_on_disk():
    kept = PairSpool([Pair("A secret effusion.", ("Another secret.",), "secret-id")] * 9)
    details = DetailSpool()
    details.add({"id": "secret-id", "details": {"green": {"explanation": "A secret effusion is missing."}}})
    for file in (kept._chunks._file, details._rows._file):
        file.seek(0)
        assert file._rolled and b"secret" not in file.read()


def test_details_come_back_by_place():
    details = DetailSpool()
    for i in range(3):
        details.add({"id": f"s{i}", "details": {"rouge": {"recall": i / 2}, "green": {"reason": ""}}})
        assert details[0]["rouge"] == {"recall": 0.0}, "reading does not disturb writing"
    assert len(details) == 3 and details[2] == {"rouge": {"recall": 1.0}, "green": {"reason": ""}}


def test_a_metric_with_one_reference_refuses_several():
    kept = PairSpool([Pair("a", ("b",)), Pair("a", ("b", "c"))])
    assert score(kept, ["rouge"]).ids == ["", ""]
    with pytest.raises(InputError, match=r"^pairs\[1\].reference is a list: chexbert_f1 takes one reference"):
        score(kept, ["rouge", "chexbert_f1"])


@pytest.fixture
def counted(monkeypatch):
    """Count how often files are opened and texts are checked."""
    counts = {"opened": 0, "checked": 0}

    def count(what, function):
        def counting(*args):
            counts[what] += 1
            return function(*args)

        return counting

    monkeypatch.setattr(io.text_stream, "open_text", count("opened", io.text_stream.open_text))
    for module in (io.readers, pairs):
        monkeypatch.setattr(module, "require_string", count("checked", pairs.require_string))
    return counts


def written(path, rows=ROWS):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize(
    "options",
    [["--metrics", "rouge"], ["--metrics", "cider,bleu"], ["--metrics", "fineradscore", "--report", "{out}/r.html"]],
    ids=["one pass", "two passes", "a page that shows the reports"],
)
def test_a_file_is_read_and_checked_once(options, counted, tmp_path, capsys):
    file = written(tmp_path / "p.jsonl")
    assert cli.main(["score", file, *(o.format(out=tmp_path) for o in options), "--json"]) == 0
    assert counted == {"opened": 1, "checked": 2 * len(ROWS)}


def test_a_bad_last_row_is_found_before_anything_is_scored_or_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(api, "score", lambda *args, **options: pytest.fail("scored before all rows were checked"))
    file = written(tmp_path / "p.jsonl", [*ROWS, {"prediction": 5, "reference": "x"}])
    assert cli.main(["score", file, "--metrics", "rouge", "--out", str(tmp_path / "o.csv")]) == 2
    assert "p.jsonl: line 6: column 'prediction' must be a string, got int" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["p.jsonl"]


def test_a_pipe_is_enough_for_two_passes(tmp_path, capsys):
    file = written(tmp_path / "p.jsonl")
    assert cli.main(["score", file, "--metrics", "cider", "--json"]) == 0
    expected = capsys.readouterr().out
    os.mkfifo(tmp_path / "pipe.jsonl")
    writer = threading.Thread(target=written, args=(tmp_path / "pipe.jsonl",))
    writer.start()
    assert cli.main(["score", str(tmp_path / "pipe.jsonl"), "--metrics", "cider", "--json"]) == 0
    writer.join()
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize("column", ["prediction", "reference"])
def test_half_a_character_is_refused_in_both_columns(column, tmp_path, capsys):
    file = written(tmp_path / "p.jsonl", [{**ROWS[0], column: "a\ud800"}])
    assert cli.main(["score", file, "--metrics", "rouge"]) == 2
    assert f"line 1: column '{column}' is not valid Unicode text: character 1 is a lone" in capsys.readouterr().err
