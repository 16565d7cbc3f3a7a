import numpy as np
import pytest
from bench_fixtures import rated, rows_of
from scipy import stats

from radeval_core.bench.expert_data import rated_pairs
from radeval_core.bench.raters import between_raters
from radeval_core.stats.agreement import study_resamples

COUNTS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def rated_data(candidates=None):
    rows = [rated(i, {"errors": counts, "rating": 3}, i // 2) for i, counts in enumerate(COUNTS)]
    for row, candidate in zip(rows, candidates or (), strict=False):
        row["candidate"] = candidate
    return rated_pairs(rows_of(*rows), "d")


def test_the_matrix_has_every_two_raters_and_the_mean():
    data = rated_data()
    found = between_raters(data, study_resamples(data.studies))
    assert set(found) == {"errors"}  # one rater gave the ratings
    matrix = np.array(found["errors"]["matrix"])
    assert matrix.shape == (5, 5) and np.allclose(matrix, matrix.T) and np.allclose(np.diag(matrix), 1)
    columns = np.array(COUNTS).T
    assert matrix[0, 3] == pytest.approx(stats.kendalltau(columns[0], columns[3]).statistic)
    assert matrix[4, 2] == pytest.approx(stats.kendalltau(columns.mean(axis=0), columns[2]).statistic)


def test_the_intraclass_correlation_overall_and_by_candidate():
    data = rated_data(["bleu", "radgraph"] * 3)
    found = between_raters(data, study_resamples(data.studies))["errors"]
    assert found["icc_single"]["value"] == pytest.approx(0.29, abs=0.005) and found["raters"] == 4
    assert set(found["candidates"]) == {"bleu", "radgraph"} and found["candidates"]["bleu"]["icc_single"]["n"] == 3
    assert "candidates" not in between_raters(rated_data(), study_resamples(data.studies))["errors"]
