"""A benchmark that ranks by a part of a metric."""

import json

import pytest
from small_benchmark import jsonl, rows, write_benchmark

from radeval_core.errors import InputError
from radeval_core.leaderboard.ranking import rank
from radeval_core.leaderboard.score_submission import current_version, score_submission
from radeval_core.leaderboard.submission import check_submission
from radeval_core.ui.leaderboard.texts import method

METRICS = {"green.error_count": "embedded", "green": "embedded", "fineradscore.max": "embedded"}


@pytest.fixture
def benchmark(tmp_path):
    return write_benchmark(tmp_path / "parts", name="parts", metrics=METRICS)


def scored(benchmark, name, **changed):
    submission = check_submission(jsonl(rows(**changed), name=name), benchmark)
    return score_submission(benchmark, submission, "2026-01-01")


def test_a_part_is_scored_and_ranked_in_its_own_direction(benchmark):
    right = {study.id: study.reference for study in benchmark.studies.values()}
    good, bad = scored(benchmark, "good", **right), scored(benchmark, "bad")
    assert list(good.metrics) == list(METRICS) and good.metrics["green.error_count"]["score"] == 0
    errors = [value for value in bad.scores["green.error_count"] if value is not None]
    assert bad.metrics["green.error_count"]["score"] == pytest.approx(sum(errors) / len(errors))
    assert bad.metrics["green.error_count"]["higher_is_better"] is False
    low, high = bad.metrics["green.error_count"]["ci95"]
    assert low < bad.metrics["green.error_count"]["score"] < high
    assert [row.outcome.system.name for row in rank([bad, good], "green.error_count")] == ["good", "bad"]
    assert good.version == bad.version == current_version(benchmark)
    json.loads(good.to_json())


def test_the_method_says_what_the_part_is(benchmark):
    assert "`green.error_count` ↓ (embedded, lower is better): number of all errors" in method(benchmark, True)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ({"green.errors": "embedded"}, "unknown part of green 'errors'"),
        ({"green": "embedded", "green.weighted": "radphi2"}, "green and its parts must have one config"),
    ],
)
def test_wrong_metrics_are_refused(tmp_path, metrics, message):
    with pytest.raises(InputError, match=message):
        write_benchmark(tmp_path, metrics=metrics)
