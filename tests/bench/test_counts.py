import numpy as np
import pytest
from bench_fixtures import rated, result, rows_of

from radeval_core import api
from radeval_core.bench.counts import count_rows, predicted_counts, rater_gaps
from radeval_core.bench.expert_data import rated_pairs
from radeval_core.corrections.types import CATEGORY_TITLES as TITLES
from radeval_core.error_categories import CATEGORIES
from radeval_core.stats.agreement import study_resamples


def green(matched, significant=(), insignificant=()):
    """Return a detail of green with one error for each given category."""
    counted = [{c: {"count": names.count(c), "entries": []} for c in names} for names in (significant, insignificant)]
    return {"matched": {"count": matched}, "significant": counted[0], "insignificant": counted[1], "reason": ""}


def fine(*corrections):
    return {"corrections": [{"severity": s, "category": [TITLES[i] for i in of]} for s, of in corrections]}


DETAILS = [
    green(2, ["wrong_location", "wrong_location"], ["wrong_severity"]),
    green(0, ["false_finding"]),
    {"reason": "no answer"},
]


def test_green_counts():
    counts = predicted_counts("green", DETAILS)
    assert counts.totals["significant"][:2].tolist() == [2, 1] and np.isnan(counts.totals["significant"][2])
    assert counts.categories["wrong_location"]["significant"][:2].tolist() == [2, 0]
    assert counts.categories["wrong_severity"]["insignificant"][:2].tolist() == [1, 0]
    assert counts.matched[:2].tolist() == [2, 0]


def test_fineradscore_counts_a_correction_once_and_each_of_its_categories():
    counts = predicted_counts("fineradscore", [fine((3, (0, 2)), (1, (1,))), fine(), {"corrections": None}])
    assert counts.totals["significant"][:2].tolist() == [1, 0] and counts.totals["insignificant"][0] == 1
    assert counts.categories["false_finding"]["significant"][0] == 1
    assert counts.categories["wrong_location"]["significant"][0] == 1
    assert counts.categories["missing_finding"]["insignificant"][0] == 1
    assert counts.matched is None and np.isnan(counts.totals["significant"][2])


def data():
    """Return rated pairs with the expert means: significant 1.5, 1, 4; insignificant 1, 0, 0; matched 3, 0, 1."""

    def expert(errors, significant, matched, place):
        categories = {"wrong_location": {"significant": place}}
        return {
            "errors": errors,
            "significant_errors": significant,
            "matched_findings": matched,
            "categories": categories,
        }

    return rated_pairs(
        rows_of(
            rated("a", expert([2, 3], [1, 2], 3, [1, 2])),
            rated("b", expert([1, 1], [1, 1], 0, [0, 1])),
            rated("c", expert([4, 4], [4, 4], 1, [0, 0])),
        ),
        "d.jsonl",
    )


def test_by_hand():
    row = count_rows({"green": result("green", [0.5, 0, np.nan], details=DETAILS)}, data(), study_resamples(range(3)))
    found = row["green"]
    # the metric counts 2 and 1 significant, 1 and 0 insignificant errors
    assert found["mae_significant"]["value"] == pytest.approx(0.25) and found["mae_significant"]["n"] == 2
    assert found["mae_significant"]["std"] == pytest.approx(0.25)
    assert found["mae_insignificant"]["value"] == pytest.approx(0)
    assert found["mae_raters"] == pytest.approx([0.5, 0])
    assert found["mae_matched_findings"]["value"] == pytest.approx(0.5)
    # with the experts' counts, green is 3 / 4.5 and 0
    assert found["mae_score"]["value"] == pytest.approx((2 / 3 - 0.5) / 2)
    # location, the only category the experts counted: the metric counts 2 and 0, the experts 1.5 and 0.5
    assert found["mae_significant_by_category"]["value"] == pytest.approx(0.5)
    assert found["mae_raters_mean"]["value"] == pytest.approx(0.25)
    # 1.5 and 0.5 never equal a count; rounded up they are 2 and 1
    place = found["categories"]["wrong_location"]
    assert place["accuracy"]["value"] == 0 and place["accuracy_rounded"]["value"] == 0.5
    # at least one error: the metric says so for a, both experts for a, and the second for b
    assert place["precision"] == 1 and place["recall"] == pytest.approx(2 / 3)
    # the experts did not count false findings, so the metric's count is neither right nor wrong
    uncounted = found["categories"]["false_finding"]
    assert uncounted["accuracy"]["value"] is None and uncounted["accuracy"]["n"] == 0


def test_differences_are_summed_per_category_as_in_table_4():
    # one false finding for a missing one: the totals are equal, the categories differ by two
    categories = {"missing_finding": {"significant": 1}, "false_finding": {"significant": 0}}
    rows = rows_of(rated("a", {"errors": 1, "significant_errors": 1, "categories": categories}))
    scored = {"green": result("green", [0], details=[green(0, ["false_finding"])])}
    found = count_rows(scored, rated_pairs(rows, "d"), np.ones((1, 1)))["green"]
    assert found["mae_significant"]["value"] == 0 and found["mae_significant_by_category"]["value"] == 2


def test_an_insignificant_error_is_at_least_one_error():
    categories = {"wrong_severity": {"significant": 0, "insignificant": 1}}
    rows = rows_of(rated("a", {"errors": 1, "significant_errors": 0, "categories": categories}))
    scored = {"green": result("green", [1], details=[green(1, (), ["wrong_severity"])])}
    found = count_rows(scored, rated_pairs(rows, "d"), np.ones((1, 1)))["green"]["categories"]["wrong_severity"]
    assert (found["precision"], found["recall"]) == (1, 1) and found["accuracy"]["value"] == 1


def test_between_raters_by_hand():
    assert rater_gaps(data()) == [[0, pytest.approx(1 / 3)], [pytest.approx(1 / 3), 0]]
    assert rater_gaps(rated_pairs(rows_of(rated("a", {"significant_errors": 1})), "d")) is None


def test_only_metrics_and_data_with_counts_are_compared():
    resamples = study_resamples(range(3))
    assert count_rows({"bleu": result("bleu", [1, 2, 3])}, data(), resamples) == {}
    ratings = rated_pairs(rows_of(*(rated(i, {"rating": i}) for i in range(3))), "d")
    assert count_rows({"green": result("green", [1, 2, 3], details=DETAILS)}, ratings, resamples) == {}


def test_details_of_the_real_metrics_are_read():
    pairs = [("Left pleural effusion. Mild edema.", "Right pleural effusion."), ("Clear lungs.", "Clear lungs.")]
    results = api.score(pairs, ["green", "fineradscore"], detailed=True).results
    for name, found in results.items():
        counts = predicted_counts(name, found.details)
        summed = sum(counts.totals.values())
        part = found.values["error_count" if name == "green" else "corrections"]
        assert summed.tolist() == part.tolist() and summed[0] > 0
        assert set(counts.categories) == set(CATEGORIES)
        assert counts.categories["wrong_location"]["significant"][0] == 1
