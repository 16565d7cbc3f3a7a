"""Fitting RadCliQ's line: the constrained optimum, recovery of known lines, and the weights file."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from radeval_core import cli, load
from radeval_core.errors import InputError
from radeval_core.fit.folds import plan
from radeval_core.fit.radcliq import fit_line, fit_radcliq
from radeval_core.fit.simplex import scaled_simplex_weights, simplex_weights
from radeval_core.fit.table import Target
from radeval_core.functional.radcliq import PARTS, LinearModel, lines, radcliq


def some_parts(n=200, seed=0):
    """Return four correlated columns, like those of real metrics."""
    draw = np.random.default_rng(seed)
    return np.clip(draw.normal(0.5, 0.15, (n, 1)) + draw.normal(0, 0.1, (n, 4)), 0, 1)


def by_enumeration(columns, target):
    """Return the optimum by brute force: least squares on every subset of columns (KKT)."""
    best, found = np.inf, None
    for size in range(1, columns.shape[1] + 1):
        for chosen in map(list, itertools.combinations(range(columns.shape[1]), size)):
            first, rest = chosen[0], chosen[1:]
            weights = np.zeros(columns.shape[1])
            if rest:
                differences = columns[:, rest] - columns[:, [first]]
                weights[rest] = np.linalg.lstsq(differences, target - columns[:, first], rcond=None)[0]
            weights[first] = 1 - weights.sum()
            gap = np.sum((columns @ weights - target) ** 2)
            if weights.min() >= -1e-12 and gap < best:
                best, found = gap, weights
    return found


def test_two_columns_by_hand():
    # the target lies a quarter of the way from the first column to the second
    columns = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    assert simplex_weights(columns, columns @ [0.75, 0.25]) == pytest.approx([0.75, 0.25], abs=1e-12)
    # beyond the first column: the nearest allowed mix is the first column alone
    assert simplex_weights(columns, columns @ [1.5, -0.5]) == pytest.approx([1, 0], abs=1e-12)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from([0.01, 0.3, 3.0]))
def test_the_optimum_equals_enumeration(seed, noise):
    draw = np.random.default_rng(seed)
    columns = draw.normal(size=(30, 4)) + draw.normal(size=(30, 1))
    target = columns @ draw.dirichlet(np.ones(4) * 0.5) + noise * draw.normal(size=30)
    assert simplex_weights(columns, target) == pytest.approx(by_enumeration(columns, target), abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_equals_a_general_solver(seed):
    draw = np.random.default_rng(seed)
    columns, target = draw.normal(size=(40, 4)), draw.normal(size=40)
    by_slsqp = minimize(
        lambda w: np.sum((columns @ w - target) ** 2),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert simplex_weights(columns, target) == pytest.approx(by_slsqp.x, abs=1e-5)
    weights, factor = scaled_simplex_weights(columns, target)
    free = minimize(lambda w: np.sum((columns @ w - target) ** 2), np.full(4, 0.25), bounds=[(0, None)] * 4)
    assert factor * weights == pytest.approx(free.x, abs=1e-5)


@pytest.mark.parametrize("standard", ["own", "v1"])
def test_the_published_line_is_recovered_from_its_scores(standard):
    parts = some_parts()
    line = fit_line(parts, radcliq(parts, "v1"), standard=standard)
    assert radcliq(parts, line) == pytest.approx(radcliq(parts, "v1"), abs=1e-9)
    assert line.coefficients.sum() == pytest.approx(-1)
    if standard == "v1":  # in its own units the coefficients are the published ones
        assert line.coefficients == pytest.approx(lines()["v1"].coefficients, abs=1e-9)
        assert line.scale == pytest.approx(lines()["v1"].scale)
        assert line.intercept == pytest.approx(0, abs=1e-8)


def test_the_papers_problem_recovers_weights_on_standardised_parts():
    parts = some_parts()
    standardised = (parts - parts.mean(axis=0)) / parts.std(axis=0)
    weights = np.array([0.1, 0.6, 0.0, 0.3])
    target = -(standardised @ weights)
    # the fit standardises the target to a deviation of 1, so the expected weights are those of the standardised target
    target = target - target.mean()
    line = fit_line(parts, target, unit="standard")
    expected = by_enumeration(-standardised, target / target.std())
    assert -line.coefficients == pytest.approx(expected, abs=1e-8)
    assert line.intercept == pytest.approx(0, abs=1e-12)
    assert line.scale == pytest.approx(parts.std(axis=0))


def test_a_part_that_points_the_wrong_way_gets_no_weight():
    parts = some_parts()
    target = 5 - 2 * parts[:, 0] - 4 * parts[:, 1] + 3 * parts[:, 2]
    for unit in ("fitted", "standard"):
        line = fit_line(parts, target, unit=unit)
        assert line.coefficients[2] == 0
        assert line.coefficients.max() <= 0
        assert line.coefficients.sum() == pytest.approx(-1)


def test_the_weights_are_recovered_from_noisy_errors():
    draw = np.random.default_rng(1)
    parts = draw.uniform(0, 1, (4000, 4))
    target = draw.poisson(6 - 3 * parts[:, 0] - 2 * parts[:, 1] - parts[:, 2])
    line, report = fit_radcliq(parts, Target(target.astype(float), list(range(4000)), "errors"))
    slopes = line.coefficients / line.scale
    assert slopes == pytest.approx([-3, -2, -1, 0], abs=0.35)
    assert report["cross_validation"]["fit"]["mean"] > max(report["cross_validation"][part]["mean"] for part in PARTS)
    assert report["n_development"] == 3200 and report["n_test"] == 800


def test_the_split_keeps_studies_whole_and_depends_on_the_seed():
    studies = [i // 3 for i in range(90)]
    split = plan(studies, 10, 0.2, seed=7)
    assert len(split.test) == 18 and len(split.development) == 72
    seen = [studies[i] for _, rows in split.folds for i in rows]
    assert sorted(seen) == sorted(studies[i] for i in split.development)
    for train, rows in split.folds:
        assert not {studies[i] for i in train} & {studies[i] for i in rows}
        assert not {studies[i] for i in split.test} & {studies[i] for i in (*train, *rows)}
    again, other = plan(studies, 10, 0.2, seed=7), plan(studies, 10, 0.2, seed=8)
    assert (again.test == split.test).all() and not (other.test == split.test).all()


def test_held_out_tau_uses_lines_fitted_without_the_fold():
    from scipy.stats import kendalltau

    draw = np.random.default_rng(2)
    parts = some_parts(100, 3)
    target = 4 - 4 * parts[:, 0] + draw.normal(0, 0.5, 100)
    _, report = fit_radcliq(parts, Target(target, list(range(100)), "errors"), folds=4, test_share=0.25, seed=5)
    split = plan(list(range(100)), 4, 0.25, 5)
    expected = [
        kendalltau(radcliq(parts[rows], fit_line(parts[train], target[train])), target[rows]).statistic
        for train, rows in split.folds
    ]
    assert report["cross_validation"]["fit"]["folds"] == pytest.approx(expected)
    assert report["cross_validation"]["fit"]["mean"] == pytest.approx(np.mean(expected))


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def columns_file(tmp_path):
    names = ("rg", "bs", "sim", "b2")
    rows = [
        {"id": f"secret-{i}", "scores": dict(zip(names, row.tolist(), strict=True)), "expert": {"errors": [a, a]}}
        for i, (row, a) in enumerate(zip(some_parts(60), radcliq(some_parts(60), "v1").tolist(), strict=True))
    ]
    return write_rows(tmp_path / "columns.jsonl", rows)


FIT = ["--parts", "rg,bs,sim,b2", "--target", "errors"]


@pytest.mark.e2e
@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_the_metric_reads_a_written_fit_and_signs_with_it(columns_file, tmp_path, capsys, suffix):
    out = tmp_path / f"ours.{suffix}"
    assert cli.main(["fit", "radcliq", "--data", columns_file, "--out", str(out), *FIT, "--seed", "3"]) == 0
    shown = capsys.readouterr().out
    assert "largest difference" in shown and f"radcliq.weights={out}" in shown
    text = out.read_text()
    assert "secret" not in text
    weights = yaml.safe_load(text)
    assert weights["provenance"]["seed"] == 3 and weights["provenance"]["n"] == 60
    assert len(weights["provenance"]["data"]["sha256"]) == 64
    pair = ["Small left pleural effusion."], ["Large right pleural effusion. No pneumothorax."]
    ours, published = load("radcliq", weights=str(out)).compute(*pair, detailed=True), load("radcliq").compute(*pair)
    # fitted to the published scores, it gives the published score
    assert ours["scores"] == pytest.approx(published["scores"], abs=1e-8)
    assert ours["v0_scores"] == published["v0_scores"]
    name = weights["provenance"]["name"]
    assert f"|version:{name}|" in ours["signature"] and "|version:v1|" in published["signature"]
    assert set(ours["details"][0]["contributions"]) == {"v0", "v1", name}
    total = sum(ours["details"][0]["contributions"][name].values()) + weights["intercept"]
    assert total == pytest.approx(ours["scores"][0])


def test_the_same_numbers_have_the_same_name_in_yaml_and_json(columns_file, tmp_path, capsys):
    for suffix in ("yaml", "json"):
        cli.main(["fit", "radcliq", "--data", columns_file, "--out", str(tmp_path / f"a.{suffix}"), *FIT, "--json"])
    one, other = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (
        one
        == other
        == json.loads((tmp_path / "a.json").read_text())
        == yaml.safe_load((tmp_path / "a.yaml").read_text())
    )


def test_a_target_where_high_is_good_is_negated(columns_file, tmp_path):
    rows = [json.loads(line) for line in Path(columns_file).read_text().splitlines()]
    turned = [{**row, "quality": -row["expert"]["errors"][0]} for row in rows]
    path = write_rows(tmp_path / "turned.jsonl", turned)
    outs = [tmp_path / "a.json", tmp_path / "b.json"]
    assert cli.main(["fit", "radcliq", "--data", columns_file, "--out", str(outs[0]), *FIT]) == 0
    options = ["--parts", "rg,bs,sim,b2", "--target", "quality", "--higher-is-better"]
    assert cli.main(["fit", "radcliq", "--data", path, "--out", str(outs[1]), *options]) == 0
    one, other = (json.loads(out.read_text()) for out in outs)
    assert one["coefficients"] == other["coefficients"]
    assert other["provenance"]["target"] == "-quality"


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            lambda rows: rows[:9],
            [],
            "too few rows to fit: 9 rows of 9 studies have a target, but these folds need at least 25 studies",
        ),
        (lambda rows: [{**r, "expert": {"errors": 2}} for r in rows], [], "target 'errors' is 2 in every row"),
        (lambda rows: rows, ["--target", "ratings"], "line 1: no column 'ratings'; found 'rg', 'bs', 'sim', 'b2'"),
        (lambda rows: rows, ["--parts", "rg,bs"], "--parts must list 4 columns, for radgraph, bertscore, semb, bleu"),
        (lambda rows: rows, ["--folds", "1"], "--folds must be at least 2, got 1"),
        (lambda rows: rows, ["--test-share", "1"], "--test-share must be at least 0 and below 1"),
        (lambda rows: rows, ["--unit", "fited"], "unknown unit 'fited': did you mean 'fitted'?"),
        (lambda rows: rows, ["--higher-is-better"], "no part falls as the target rises"),
        (lambda rows: rows, ["--config", "paper"], "cannot be used with --parts"),
        (
            lambda rows: [{**r, "scores": {**r["scores"], "b2": 0.5}} for r in rows],
            [],
            "bleu: the same value in every row",
        ),
        (lambda rows: [{**r, "scores": {**r["scores"], "rg": "x"}} for r in rows], [], "'rg' must be a number"),
    ],
)
def test_unusable_data_or_options_are_refused(columns_file, tmp_path, capsys, change, options, message):
    rows = change([json.loads(line) for line in Path(columns_file).read_text().splitlines()])
    path, out = write_rows(tmp_path / "bad.jsonl", rows), tmp_path / "out.yaml"
    assert cli.main(["fit", "radcliq", "--data", path, "--out", str(out), *FIT, *options]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.e2e
def test_pairs_with_expert_ratings_are_scored_first(tmp_path, capsys):
    reports = ["Left effusion.", "Left effusion and edema.", "Clear lungs.", "Large left pneumothorax.", ""]
    rows = [
        {
            "id": i,
            "study": i,
            "prediction": reports[i % 5],
            "reference": reports[i // 5],
            "expert": {"errors": [int(i % 5 != i // 5) + i % 2, None]},
        }
        for i in range(20)
    ]
    path, out = write_rows(tmp_path / "rated.jsonl", rows), tmp_path / "ours.yaml"
    assert cli.main(["fit", "radcliq", "--data", path, "--out", str(out), "--folds", "4", "--quiet"]) == 0
    weights = yaml.safe_load(out.read_text())
    provenance = weights["provenance"]
    assert set(provenance["data"]) == {"sha256", "kind", "rows"}
    assert provenance["config"] == "embedded" and provenance["part_models"]["radgraph"].startswith("lexicon-")
    assert "effusion" not in out.read_text()
    table = np.array(
        load("radcliq").compute([r["prediction"] for r in rows], [r["reference"] for r in rows])["radgraph_scores"]
    )
    development = plan(list(range(20)), 4, 0.2, 0).development
    assert weights["mean"][0] == pytest.approx(table[development].mean())
    assert cli.main(["fit", "radcliq", "--data", path, "--out", str(out), "--target", "rating"]) == 2
    assert "no row has expert 'rating'; found errors" in capsys.readouterr().err
    assert cli.main(["fit", "radcliq", "--data", path, "--out", str(out), "--higher-is-better"]) == 2
    assert "the direction of expert measures is known" in capsys.readouterr().err


def test_rows_that_are_not_pairs_are_refused(tmp_path, capsys):
    rows = [{"id": 1, "original": "Effusion.", "synonym": "Fluid.", "opposite": "No effusion."}]
    path = write_rows(tmp_path / "triads.jsonl", rows)
    assert cli.main(["fit", "radcliq", "--data", path, "--out", str(tmp_path / "x.yaml")]) == 2
    assert "the rows are not pairs with expert ratings" in capsys.readouterr().err


@pytest.mark.e2e
def test_weights_of_other_models_give_a_warning(columns_file, tmp_path, caplog):
    out = tmp_path / "ours.json"
    cli.main(["fit", "radcliq", "--data", columns_file, "--out", str(out), *FIT, "-q"])
    weights = json.loads(out.read_text())
    weights["provenance"]["part_models"] = {"radgraph": "lexicon-00000000"}
    out.write_text(json.dumps(weights))
    from radeval_core import score

    score([("Clear lungs.", "Clear lungs.")], ["radcliq"], options={"radcliq": {"weights": str(out)}})
    assert "fitted on parts of other models" in caplog.text


GOOD = {"mean": [0, 0, 0, 0], "scale": [1, 1, 1, 1], "coefficients": [-0.25] * 4, "intercept": 0}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1], "must contain mean, scale, coefficients, intercept, got list"),
        ({k: v for k, v in GOOD.items() if k != "scale"}, "'scale' is missing"),
        (GOOD | {"coef": 1}, "did you mean 'coefficients'"),
        (GOOD | {"mean": [0, 0, 0]}, "'mean' must be 4 numbers"),
        (GOOD | {"scale": [1, 1, 0, 1]}, "'scale' must be above 0"),
        (GOOD | {"intercept": "x"}, "'intercept' must be a number"),
        (GOOD | {"parts": list(reversed(PARTS))}, "'parts' must be"),
    ],
)
def test_bad_weights_are_refused(tmp_path, data, message):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="weights of radcliq: ") as caught:
        load("radcliq", weights=str(path)).compute(["a"], ["a"])
    assert message in str(caught.value)


def test_missing_or_unreadable_weights_are_refused(tmp_path):
    for wanted, message in (("nowhere.yaml", "no such file: nowhere.yaml"), ("v2", "unknown weights of radcliq 'v2'")):
        with pytest.raises(InputError, match=message):
            load("radcliq", weights=wanted).compute(["a"], ["a"])
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(InputError, match="neither JSON nor YAML"):
        load("radcliq", weights=str(tmp_path / "x.json")).compute(["a"], ["a"])


@pytest.mark.e2e
def test_version_0_can_be_the_headline():
    pair = ["Small left pleural effusion."], ["Large right pleural effusion."]
    result = load("radcliq", weights="v0").compute(*pair)
    assert result["scores"] == result["v0_scores"]
    assert "|version:v0|" in result["signature"]


def test_the_name_of_a_line_depends_on_its_numbers():
    from radeval_core.functional.radcliq import line_name, read_line

    line = read_line(GOOD, "x")
    assert isinstance(line, LinearModel) and radcliq(np.array([1.0, 1, 1, 1]), line) == -1
    assert line_name(line) != line_name(read_line(GOOD | {"intercept": 1}, "x"))
