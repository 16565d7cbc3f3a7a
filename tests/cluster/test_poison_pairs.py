"""A pair that makes a metric fail or ends the process is found, unscored with a reason; the others are scored."""

import json
import math

import pytest
from one_process import score_in_parts

from radeval_core import api, io
from radeval_core.cluster.job import ScoringJob
from radeval_core.cluster.worker import Journal, score_range
from radeval_core.errors import RadevalError
from radeval_core.metrics.bleu import BleuScorer
from radeval_core.pairs import Pair

POISON = "MRS SECRET effusion"


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr("radeval_core.runner.CHUNK_PAIRS", 8)
    rows = [{"id": i, "prediction": f"Effusion {i}.", "reference": f"No effusion {i}."} for i in range(20)]
    rows[13]["prediction"] = POISON
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.fixture
def bleu():
    (scorer,) = ScoringJob(("bleu",)).make_scorers()
    return scorer


def poisoned(monkeypatch, error):
    honest = BleuScorer.score

    def score(self, pairs, detailed):
        if any(pair.prediction == POISON for pair in pairs):
            raise error
        return honest(self, pairs, detailed)

    monkeypatch.setattr(BleuScorer, "score", score)


def test_a_pair_that_makes_a_metric_fail_is_unscored_with_a_reason(path, tmp_path, monkeypatch):
    expected = api.score(io.open_pairs(path), ["bleu", "rouge"])
    poisoned(monkeypatch, ValueError(f"cannot read {POISON}"))
    found, _ = score_in_parts(ScoringJob(("bleu", "rouge")), [path], tmp_path / "parts")
    scores = found.results["bleu"].scores
    assert [i for i, score in enumerate(scores) if math.isnan(score)] == [13]
    assert found.results["bleu"].failures == {"scoring failed: ValueError": 1}
    assert found.summary()["bleu"]["unscored_reasons"] == {"scoring failed: ValueError": 1}
    assert not found.results["bleu"].failed_judge  # no judge was asked
    others = [row["scores"] for i, row in enumerate(found.rows()) if i != 13]
    assert others == [row["scores"] for i, row in enumerate(expected.rows()) if i != 13]
    assert found.results["rouge"].scores.tolist() == expected.results["rouge"].scores.tolist()
    for file in (tmp_path / "parts").iterdir():
        assert b"SECRET" not in file.read_bytes()


def test_no_memory_for_a_pair_is_a_reason_too(path, tmp_path, monkeypatch):
    poisoned(monkeypatch, MemoryError())
    found, _ = score_in_parts(ScoringJob(("bleu",)), [path], tmp_path / "parts")
    assert found.results["bleu"].failures == {"out of memory": 1}


def test_a_part_without_any_scored_pair_is_joined_with_the_others(path, tmp_path, monkeypatch):
    honest = BleuScorer.score

    def score(self, pairs, detailed):
        if any(8 <= pair.id < 16 for pair in pairs):
            raise ValueError
        return honest(self, pairs, detailed)

    monkeypatch.setattr(BleuScorer, "score", score)
    found, _ = score_in_parts(ScoringJob(("bleu",)), [path], tmp_path / "parts")
    assert (found.results["bleu"].n, found.results["bleu"].unscored) == (12, 8)


def test_an_error_of_the_user_ends_the_run(path, tmp_path, monkeypatch):
    poisoned(monkeypatch, RadevalError("the server does not accept the key"))
    with pytest.raises(RadevalError, match="does not accept the key"):
        score_in_parts(ScoringJob(("bleu",)), [path], tmp_path / "parts")


class Killed(BaseException):
    """Ends a process, as a signal does: nothing is written any more."""


def test_a_pair_that_ends_the_process_is_found_by_halves(bleu, tmp_path, monkeypatch):
    poisoned(monkeypatch, Killed())
    pairs = [Pair(POISON if i == 5 else f"Effusion {i}.", ("No effusion.",), i) for i in range(8)]
    ended = 0
    while True:
        journal = Journal(tmp_path / "part.trying")  # as a new process reads it
        monkeypatch.setattr(Journal, "_write", _until_killed(Journal._write))
        try:
            chunk, reasons = score_range(bleu, pairs, journal)
        except Killed:
            ended += 1
            assert ended < 10
        else:
            break
        finally:
            monkeypatch.setattr(Journal, "_write", Journal._write.honest)
    assert ended == 6  # twice with all eight, once with four and with two, twice alone
    assert reasons == {5: "the process ended 2 times"}
    assert [i for i, score in enumerate(chunk.values["bleu"]) if math.isnan(score)] == [5]


def _until_killed(honest):
    """Return a `_write` that leaves out the end of what was being scored when the process was killed."""
    import sys

    def write(self, line):
        if line[0] == "start" or sys.exc_info()[0] is None:
            honest(self, line)

    write.honest = honest
    return write


def test_a_journal_with_a_half_written_line_is_read(tmp_path):
    path = tmp_path / "part.trying"
    path.write_text('["start", "bleu", 0, 8]\n["start", "bl')
    assert Journal(path).deaths("bleu", 0, 8) == 1
    assert Journal(tmp_path / "none").deaths("bleu", 0, 8) == 0
