import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from radeval_core import api, registry
from radeval_core.bench.run import run_bench
from radeval_core.bench.sources import open_data
from radeval_core.errors import InputError

NAN = float("nan")


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row(id, expert, study=None, prediction="Clear lungs.", reference="Clear lungs."):
    known = {"id": id, "prediction": prediction, "reference": reference, "expert": expert}
    return known if study is None else {**known, "study": study}


def scored_by(monkeypatch, **columns):
    """Let `api.score` return these (higher is better, per-pair scores) columns."""
    results = {
        name: SimpleNamespace(
            scores=np.array(scores, dtype=np.float64),
            values={name: np.array(scores, dtype=np.float64)},
            spec=SimpleNamespace(higher_is_better=up, parts={}),
            n=int(np.sum(~np.isnan(scores))),
            unscored=int(np.sum(np.isnan(scores))),
            signature=f"{name}|x",
            details=None,
        )
        for name, (up, scores) in columns.items()
    }
    monkeypatch.setattr(api, "score", lambda *args, **options: SimpleNamespace(results=results))
    monkeypatch.setattr(registry, "get_spec", lambda name: results[name].spec)


def test_expert_data_is_read(tmp_path):
    rows = [
        row("a", {"errors": [1, 2], "rating": 4}, "s"),
        row("b", {"errors": [None, 3]}, "s"),
        row("c", {"rating": 5}),
    ]
    data = open_data(write(tmp_path / "d.jsonl", rows))
    assert [p.id for p in data.pairs] == ["a", "b", "c"] and data.studies == ["s", "s", "c"]
    assert data.expert("errors").tolist()[:2] == [1.5, 3] and np.isnan(data.expert("errors")[2])
    assert list(data.raters) == ["errors", "rating"] and data.raters["rating"].shape == (3, 1)


def test_radcliq_is_compared_with_5000_resamples_as_in_its_paper(tmp_path, monkeypatch):
    rows = [row(i, {"errors": e}, f"s{i}") for i, e in enumerate([3, 1, 2, 0])]
    data = open_data(write(tmp_path / "d.jsonl", rows))
    for name, resamples in (("radcliq", 5000), ("other", 1000)):
        scored_by(monkeypatch, up=(True, [1, 2, 3, 4]), **{name: (False, [3, 1, 2, 0])})
        (gap,) = run_bench(data, ["up", name]).result["differences"]
        assert gap["kendall_errors"]["resamples"] == resamples


def test_hand_worked(tmp_path, monkeypatch):
    # errors 3 1 2 0: `up` orders 5 of 6 pairs of pairs correctly, so tau is 4/6; `down` equals the errors
    rows = [row(i, {"errors": e, "rating": 5 - e}, f"s{i // 2}") for i, e in enumerate([3, 1, 2, 0])]
    scored_by(monkeypatch, up=(True, [1, 2, 3, 4]), down=(False, [3, 1, 2, 0]))
    result = run_bench(open_data(write(tmp_path / "d.jsonl", rows)), ["up", "down"]).result
    assert result["up"]["kendall_errors"]["value"] == pytest.approx(4 / 6)
    assert result["up"]["kendall_rating"]["value"] == pytest.approx(4 / 6)
    assert result["up"]["spearman_errors"]["value"] == pytest.approx(0.8)
    assert result["down"]["kendall_errors"]["value"] == pytest.approx(1)
    assert result["down"]["pearson_rating"]["value"] == pytest.approx(1)
    assert result["up"]["preference_accuracy"]["value"] == result["down"]["preference_accuracy"]["value"] == 1
    (gap,) = result["differences"]
    assert gap["metrics"] == ["up", "down"] and gap["kendall_errors"]["value"] == pytest.approx(-2 / 6)
    assert result["experts"] == {} and result["resamples"] == 1000 and isinstance(result["seed"], int)
    assert {"radeval_core", "python", "numpy", "scipy"} == set(result["versions"])
    assert "kendall_significant_errors" not in result["up"]
    json.dumps(result, allow_nan=False)


def test_experts_are_the_ceiling(tmp_path, monkeypatch):
    ratings = np.random.default_rng(1).integers(1, 6, size=(30, 3))
    rows = [row(i, {"rating": r.tolist()}) for i, r in enumerate(ratings)]
    scored_by(monkeypatch, up=(True, range(30)))
    found = run_bench(open_data(write(tmp_path / "d.jsonl", rows)), ["up"]).result
    each = [stats.kendalltau(ratings[:, i], np.delete(ratings, i, 1).sum(1)).statistic for i in range(3)]
    assert found["experts"]["kendall_rating"]["raters"] == pytest.approx(each)
    assert found["experts"]["kendall_rating"]["value"] == pytest.approx(np.mean(each))
    assert found["differences"] == [] and "preference_accuracy" not in found["up"]


def test_unscored_pairs_are_counted_and_skipped_on_both_sides_of_a_difference(tmp_path, monkeypatch):
    rows = [row(i, {"errors": e}) for i, e in enumerate([0, 1, 2, 3])]
    scored_by(monkeypatch, some=(True, [NAN, 3, 2, 1]), all=(True, [0, 3, 2, 1]), none=(True, [1, 1, 1, 1]))
    result = run_bench(open_data(write(tmp_path / "d.jsonl", rows)), ["some", "all", "none"]).result
    assert result["some"]["n"] == 3 and result["some"]["unscored"] == 1 and result["some"]["kendall_errors"]["n"] == 3
    assert result["all"]["kendall_errors"]["value"] == pytest.approx(0)
    assert result["differences"][0]["kendall_errors"]["value"] == pytest.approx(0)  # both 1 on the three pairs
    assert result["none"]["kendall_errors"] == {"value": None, "ci95": None, "n": 4}
    json.dumps(result, allow_nan=False)


def test_each_radiologist(tmp_path, monkeypatch):
    # errors of two raters: 0 1 2 and 2 1 0; the scores follow the first
    rows = [row(i, {"errors": [i, 2 - i]}) for i in range(3)]
    scored_by(monkeypatch, up=(True, [3, 2, 1]))
    found = run_bench(open_data(write(tmp_path / "d.jsonl", rows)), ["up"]).result["up"]["kendall_errors"]
    assert found["value"] is None  # the mean is 1 everywhere
    assert [rater["value"] for rater in found["raters"]] == pytest.approx([1, -1])


def test_categories(tmp_path, monkeypatch):
    counts = [{"wrong_location": {"significant": i}, "false_finding": {"insignificant": 2 - i}} for i in range(3)]
    rows = [row(i, {"errors": 2, "categories": c}) for i, c in enumerate(counts)]
    scored_by(monkeypatch, up=(True, [3, 2, 1]))
    found = run_bench(open_data(write(tmp_path / "d.jsonl", rows)), ["up"]).result["up"]["kendall_categories"]
    assert found["wrong_location"]["value"] == pytest.approx(1)
    assert found["false_finding"]["value"] == pytest.approx(-1) and found["missing_finding"]["value"] is None


def test_p_values_of_differences_are_corrected_over_the_pairs_of_metrics(tmp_path, monkeypatch):
    errors = np.arange(40)
    rng = np.random.default_rng(8)
    columns = {"good": -errors, "fair": -errors + rng.normal(0, 15, 40), "none": rng.normal(size=40)}
    scored_by(monkeypatch, **{name: (True, scores) for name, scores in columns.items()})
    rows = [row(i, {"errors": int(e)}) for i, e in enumerate(errors)]
    gaps = run_bench(open_data(write(tmp_path / "d.jsonl", rows)), list(columns)).result["differences"]
    p_values = [gap["kendall_errors"]["p"] for gap in gaps]
    adjusted = [gap["kendall_errors"]["p_bh"] for gap in gaps]
    assert adjusted == pytest.approx(stats.false_discovery_control(p_values).tolist())
    assert p_values[1] == pytest.approx(2 / 1001)  # never lower in any resample


def test_preference_without_ratings_and_by_confidence(tmp_path, monkeypatch):
    # the metric is right in study 0, where the experts are confident, and wrong in study 1, where they are not
    stated = [{"preferred": p, "confidence": c, "errors": 0} for p, c in ((1, 9), (0, 9), (1, 2), (0, 2))]
    rows = [row(i, expert, f"s{i // 2}") for i, expert in enumerate(stated)]
    scored_by(monkeypatch, up=(True, [2, 1, 1, 2]))
    found = run_bench(open_data(write(tmp_path / "d.jsonl", rows)), ["up"]).result["up"]
    assert found["preference_accuracy"]["value"] == 0.5
    assert [(g["from"], g["to"], g["value"]) for g in found["preference_by_confidence"]] == [(2, 2, 0), (9, 9, 1)]
    assert [(g["from"], g["n"]) for g in found["preference_by_margin"]] == [(1, 2)]


def test_real_metrics_agree_with_scipy(tmp_path, example_pairs):
    rng = np.random.default_rng(2)
    rows = [{**p, "id": i, "expert": {"errors": int(rng.integers(5))}} for i, p in enumerate(example_pairs)]
    data = open_data(write(tmp_path / "d.jsonl", rows))
    result = run_bench(data, ["rouge", "fineradscore"]).result
    scores = api.score(data.pairs, ["rouge", "fineradscore"]).results
    errors = [r["expert"]["errors"] for r in rows]
    for name, sign in (("rouge", -1), ("fineradscore", 1)):
        expected = sign * stats.kendalltau(scores[name].scores, errors).statistic
        assert result[name]["kendall_errors"]["value"] == pytest.approx(expected)
        assert result[name]["signature"] == scores[name].signature


WRONG = [
    ({}, "line 2: column 'expert' must be an object with some of: errors, significant_errors, rating"),
    (None, "line 2: column 'expert' must be an object"),
    ({"error": 1}, "line 2: unknown expert measure 'error': did you mean 'errors'?"),
    ({"errors": "2"}, "line 2: expert 'errors' must be a number, or a list with one number per rater, got \"2\""),
    ({"errors": [1, True]}, "line 2: expert 'errors' must be a number, or a list with one number per rater, got true"),
    ({"errors": NAN}, "line 2: expert 'errors' must be a number"),
    ({"errors": []}, "line 2: expert 'errors' is an empty list"),
    ({"errors": [1, 2, 3]}, "line 2: expert 'errors' has 3 raters, line 1 has 2: write null"),
]


@pytest.mark.parametrize("expert, message", WRONG)
def test_bad_expert_numbers_name_file_and_line(tmp_path, expert, message):
    path = write(tmp_path / "d.jsonl", [row("a", {"errors": [1, 2]}), row("b", expert)])
    with pytest.raises(InputError) as error:
        open_data(path)
    assert str(error.value).startswith(f"{path}: {message}")


def test_bad_rows_name_file_and_line(tmp_path):
    good = row("a", {"errors": 1})
    for second, message in (
        (good, "line 2: duplicate id 'a', already used in line 1"),
        (row("b", {"errors": 1}, study=1.5), "line 2: column 'study' must be a string or a whole number, got float"),
        ({"id": "b", "expert": {"errors": 1}, "reference": ""}, "line 2: column 'prediction' is missing"),
    ):
        path = write(tmp_path / "d.jsonl", [good, second])
        with pytest.raises(InputError) as error:
            open_data(path)
        assert str(error.value).startswith(f"{path}: {message}")


def test_a_file_without_numbers(tmp_path):
    with pytest.raises(InputError, match="the data has no expert numbers"):
        run_bench(open_data(write(tmp_path / "d.jsonl", [row("a", {"errors": None})])), ["rouge"])
    with pytest.raises(InputError, match="no pairs to score"):
        open_data(write(tmp_path / "d.jsonl", []))
    with pytest.raises(InputError, match=r"must end in \.jsonl"):
        open_data(write(tmp_path / "d.csv", []))
