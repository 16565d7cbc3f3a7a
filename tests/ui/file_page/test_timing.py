"""Estimates of time, worked by hand."""

import pytest

from radeval_core.pairs import Pair
from radeval_core.ui.file_page import timing
from radeval_core.ui.file_page.timing import Stopwatch, about, measure, scaled, spread, work_of

A, B = Pair("12345", ("123",)), Pair("12345", ("1234567",))


def test_a_text_that_comes_again_is_no_work():
    # 5 + 3 characters, then only the new reference, then nothing new: at least 1
    assert work_of([A, B, A]) == [8, 7, 1]


def test_a_sample_is_scaled_up_by_its_work():
    # 8 characters took 2 seconds, all pairs have 8 + 7
    assert scaled(2.0, [A], [A, B]) == pytest.approx(3.75)


def test_a_sample_is_spread_over_the_file():
    pairs = [Pair("", ("",), i) for i in range(10)]
    assert [pair.id for pair in spread(pairs, 4)] == [0, 2, 5, 7]
    assert [pair.id for pair in spread(pairs[:3], 4)] == [0, 1, 2]


def test_the_rest_of_a_run_by_hand():
    now = [0.0]
    watch = Stopwatch([2, 6, 4, 4], lambda: now[0])
    assert watch.remaining is None
    watch.step()
    watch.step()
    now[0] = 4.0
    # half of the work (2 + 6 of 16) took 4 seconds
    assert watch.remaining == pytest.approx(4.0)
    watch.step()
    watch.step()
    assert watch.remaining == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "under 1 s"),
        (1.4, "about 1 s"),
        (9.4, "about 9 s"),
        (12.6, "about 15 s"),
        (89, "about 90 s"),
        (100, "about 2 min"),
    ],
)
def test_a_duration_in_words_is_not_more_exact_than_the_estimate(seconds, words):
    assert about(seconds) == words


def test_metrics_are_measured_and_one_that_fails_has_no_estimate(monkeypatch):
    now, asked = [0.0], []

    def score(pairs, names):
        asked.extend(names)
        if names == ["broken"]:
            raise ValueError("Small effusion.")
        # the first call loads the model and does not count
        now[0] += {"quick": [9, 0.1], "slow": [9, 4.0, 3.0]}[names[0]][asked.count(names[0]) - 1]

    monkeypatch.setattr(timing.api, "score", score)
    found = measure([A, B], ["quick", "broken", "slow"], lambda: now[0])
    assert found == pytest.approx({"quick": 0.1, "slow": 3.0})  # the second time was shorter
