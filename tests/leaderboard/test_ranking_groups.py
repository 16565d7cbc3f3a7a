"""Ranks by paired significance: hand-made cases, parity with the paired test, and separation of versions."""

import numpy as np
import pytest
from small_benchmark import STUDIES, outcome

from radeval_core.leaderboard.ranking import group_by_version, rank
from radeval_core.leaderboard.submission import System
from radeval_core.leaderboard.submission_result import SubmissionResult, version_of
from radeval_core.stats.paired import FLIPS, paired_test, randomisation_p_values


def noise(seed, mean, size=0.02):
    return mean + size * np.random.default_rng(seed).standard_normal(len(STUDIES))


def ranks(outcomes, metric="green"):
    return {row.outcome.submission: row.rank for row in rank(outcomes, metric)}


def test_clear_differences_give_1_2_3():
    systems = [outcome("low", noise(1, 0.2)), outcome("high", noise(2, 0.8)), outcome("middle", noise(3, 0.5))]
    assert ranks(systems) == {"high": 1, "middle": 2, "low": 3}
    assert [row.outcome.submission for row in rank(systems, "green")] == ["high", "middle", "low"]


def test_the_order_reverses_if_lower_is_better():
    systems = [outcome("low", noise(1, 0.2)), outcome("high", noise(2, 0.8))]
    assert ranks(systems, "fineradscore") == {"low": 1, "high": 2}


def test_systems_without_significant_difference_share_a_rank():
    same = [outcome(f"same{i}", noise(i, 0.6, 0.2)) for i in range(3)]
    assert ranks([*same, outcome("low", noise(9, 0.1))]) == {"same0": 1, "same1": 1, "same2": 1, "low": 4}


def test_the_same_scores_share_a_rank():
    values = noise(1, 0.5)
    assert ranks([outcome("a", values), outcome("b", values)]) == {"a": 1, "b": 1}


def test_one_system_and_none():
    assert ranks([outcome("only", noise(1, 0.5))]) == {"only": 1}
    assert rank([], "green") == []


def test_a_system_without_scores_has_no_rank_and_comes_last():
    nothing = np.full(len(STUDIES), np.nan)
    rows = rank([outcome("none", nothing), outcome("some", noise(1, 0.5))], "green")
    assert [(row.outcome.submission, row.rank) for row in rows] == [("some", 1), ("none", None)]


def test_unscored_pairs_are_not_compared():
    values = noise(1, 0.5)
    holes = values.copy()
    holes[:20] = np.nan
    assert ranks([outcome("a", values), outcome("b", holes - 0.3)]) == {"a": 1, "b": 2}
    assert ranks([outcome("a", values), outcome("b", holes)]) == {"a": 1, "b": 1}


def test_more_comparisons_need_stronger_evidence():
    """p is about 0.04, which is significant for one comparison but not for one of eleven."""
    low = noise(1, 0.5)
    gains = np.where(np.arange(len(STUDIES)) < 27, 0.1, -0.1)  # 27 of 40 in favour: 2 P(B(40, 1/2) >= 27) = 0.038
    assert paired_test(gains).p_randomisation == pytest.approx(0.038, abs=0.008)
    pair = [outcome("low", low), outcome("high", low + gains)]
    assert ranks(pair) == {"high": 1, "low": 2}
    crowd = [outcome(f"crowd{i}", low) for i in range(10)]
    assert ranks([*pair, *crowd])["low"] == 1


def test_batched_p_values_match_the_paired_test():
    rng = np.random.default_rng(0)
    differences = rng.normal(0.1, 1.0, size=(40, 6)) + np.linspace(0, 0.5, 6)
    expected = [paired_test(column).p_randomisation for column in differences.T]
    found = randomisation_p_values(differences)
    # both draw 10,000 different sign flips, so allow four standard errors of the difference
    tolerance = 4 * np.sqrt(2 * np.maximum(expected, 1e-4) / FLIPS)
    assert np.all(np.abs(found - expected) <= tolerance)


def test_batched_p_values_on_a_case_worked_by_hand():
    """With four equal gains, two of 16 sign patterns reach the sum, so p is 2/16. Without a difference, p is 1."""
    differences = np.column_stack([np.ones(4), np.zeros(4), [1, 1, np.nan, np.nan]])
    assert randomisation_p_values(differences) == pytest.approx([2 / 16, 1, 2 / 4], abs=0.02)


def test_versions_are_never_ranked_together():
    old, new = outcome("a", noise(1, 0.5), version="v1"), outcome("b", noise(2, 0.5), version="v2", date="2026-02-01")
    with pytest.raises(ValueError, match="different signatures cannot be ranked together"):
        rank([old, new], "green")
    assert [(g.version, [o.submission for o in g.outcomes]) for g in group_by_version([old, new])] == [
        ("v2", ["b"]),
        ("v1", ["a"]),
    ]


def test_failed_results_are_in_no_group():
    failed = SubmissionResult("x", "small", "r1", "v1", "0.1.0", "2026-01-01", System("x", "", ""), "a reason")
    assert group_by_version([failed]) == []


def test_a_version_depends_on_every_signature_and_on_the_studies():
    base = version_of("small", "r1", {"green": "g1", "bleu": "b1"})
    assert base == version_of("small", "r1", {"bleu": "b1", "green": "g1"})
    others = [
        version_of("small", "r2", {"green": "g1", "bleu": "b1"}),
        version_of("small", "r1", {"green": "g2", "bleu": "b1"}),
        version_of("small", "r1", {"green": "g1"}),
        version_of("large", "r1", {"green": "g1", "bleu": "b1"}),
    ]
    assert len({base, *others}) == 5
