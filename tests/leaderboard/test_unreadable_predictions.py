"""A prediction that the findings parser cannot read scores as an empty report, so nobody gains by writing gibberish."""

from dataclasses import replace

import pytest
from small_benchmark import REFERENCES, jsonl, rows, write_benchmark

from radeval_core.leaderboard.score_submission import score_submission
from radeval_core.leaderboard.submission import check_submission


@pytest.mark.parametrize("text", ["xqz flurb wibble.", "Kein Pneumothorax. Kein Erguss."])
def test_an_unreadable_prediction_scores_as_an_empty_one(tmp_path, text):
    benchmark = write_benchmark(tmp_path)

    def scored(prediction):
        submission = check_submission(jsonl(rows(**REFERENCES)), benchmark)
        changed = replace(submission, predictions={**submission.predictions, "s3": prediction})
        return score_submission(benchmark, changed, "2026-01-01")

    unreadable, empty, right = scored(text), scored(""), scored(REFERENCES["s3"])
    assert unreadable.scores == empty.scores
    assert unreadable.metrics["green"]["unscored"] == 0
    assert unreadable.metrics["green"]["score"] < right.metrics["green"]["score"] == 1
