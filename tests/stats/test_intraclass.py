import numpy as np
import pytest

from radeval_core.stats.agreement import study_resamples
from radeval_core.stats.intraclass import intraclass_correlation

#: table 2 of Shrout and Fleiss (1979): six targets, four judges; ICC(2,1) = .29 and ICC(2,4) = .62
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_the_published_example():
    found = intraclass_correlation(SHROUT_FLEISS, study_resamples(range(6)))
    assert found.single.value == pytest.approx(0.29, abs=0.005) and found.average.value == pytest.approx(
        0.62, abs=0.005
    )
    assert found.raters == 4 and found.single.n == 6
    low, high = found.single.ci95
    assert low < found.single.value < high


def test_a_resample_equals_the_repeated_rows():
    weights = np.array([[2.0, 0, 1, 1, 0, 2]])
    repeated = np.repeat(SHROUT_FLEISS, weights[0].astype(int), axis=0)
    drawn = intraclass_correlation(SHROUT_FLEISS, weights).single.resampled[0]
    assert drawn == pytest.approx(intraclass_correlation(repeated, np.empty((0, 6))).single.value)


def test_equal_raters_agree_fully_and_constant_ones_are_undefined():
    same = np.repeat(np.arange(5.0)[:, None], 3, axis=1)
    found = intraclass_correlation(same, study_resamples(range(5)))
    assert found.single.value == pytest.approx(1) and found.average.value == pytest.approx(1)
    assert np.isnan(intraclass_correlation(np.ones((4, 3)), study_resamples(range(4))).single.value)


def test_pairs_that_a_rater_did_not_judge_are_left_out():
    with_gap = np.vstack([SHROUT_FLEISS, [np.nan, 1, 2, 3]])
    found = intraclass_correlation(with_gap, study_resamples(range(7)))
    assert found.single.n == 6 and found.single.value == pytest.approx(0.29, abs=0.005)
    assert intraclass_correlation(SHROUT_FLEISS[:, :1], study_resamples(range(6))) is None
    assert intraclass_correlation(SHROUT_FLEISS[:1], np.empty((0, 1))) is None
