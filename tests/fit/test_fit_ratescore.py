"""Fitting RaTEScore's weights: the arithmetic of a trial, recovery of known weights, and the weights file."""

import itertools
import json
import sys

import numpy as np
import pytest
import yaml

from radeval_core import cli, load
from radeval_core.api import make_resources, make_scorer
from radeval_core.fit.ratescore import Direction, Matches, fit_ratescore, search
from radeval_core.fit.table import Target
from radeval_core.functional.ratescore import CELLS, Affinity, EntityMatch, published_affinities
from radeval_core.pairs import Pair

PLACE, FINDING, DENIED = (1, 1), (0, 0), (0, 3)
REPORTS = [
    "Small left pleural effusion. No pneumothorax.",
    "Large right pleural effusion with atelectasis.",
    "The heart is enlarged. No pleural effusion.",
    "Consolidation in the left lower lobe.",
    "Thank you for this referral.",
    "",
]


def invented(n=90, seed=0):
    """Return matches of pairs that have a place, a finding and sometimes a denied finding, in both directions."""
    draw = np.random.default_rng(seed)

    def side(several):
        cells = [PLACE, FINDING] + ([DENIED] if several else [])
        return [
            EntityMatch(0, float(s), 1.0, c == DENIED, c) for c, s in zip(cells, draw.uniform(0.1, 1, 3), strict=False)
        ]

    return [(side(i % 3 == 0), side(i % 2 == 0)) for i in range(n)]


def affinity(place=0.0, finding=0.0, denied=0.0, penalty=1.0):
    weights = published_affinities()["long"].weights.copy()
    weights[PLACE], weights[FINDING], weights[DENIED] = place, finding, denied
    return Affinity(weights, penalty)


def test_a_trial_by_hand():
    matches = Matches(
        [
            (
                [EntityMatch(0, 0.5, 9, False, PLACE), EntityMatch(0, 0.8, 9, True, DENIED)],
                [EntityMatch(0, 1, 9, False, PLACE)],
            )
        ]
    )
    # forth: (1·0.5 + 3·0.5·0.8) / 4 = 0.425; back: 1; harmonic mean 2·0.425/1.425
    assert matches.scores(affinity(place=1, denied=3, penalty=0.5)) == pytest.approx([0.85 / 1.425])
    assert matches.scores(affinity()) == [0]  # nothing has weight
    assert matches.names(np.array([0])) == ["abnormality_non-abnormality", "anatomy_anatomy", "neg_weight"]
    assert matches.names(np.array([], dtype=int)) == []


def test_a_pair_without_entities_scores_one_half():
    one = [EntityMatch(0, 0.5, 1, False, PLACE)]
    assert Matches([((), ()), (one, one)]).scores(affinity(place=1)) == pytest.approx([0.5, 0.5])
    assert Direction.of([(), one, ()]).means(affinity(place=2), 3) == pytest.approx([0, 0.5, 0])


@pytest.mark.parametrize("weights", ["long", "short"])
def test_scores_equal_those_of_the_metric(weights):
    scorer = make_scorer("ratescore", None, make_resources(progress=False), {"weights": weights})
    pairs = [Pair(p, (r,)) for p in REPORTS for r in REPORTS]
    ours = Matches(scorer.matches(pairs)).scores(published_affinities()[weights])
    assert ours == pytest.approx(scorer.score(pairs, False).values["ratescore"], abs=1e-12)


def test_known_weights_are_recovered():
    matches = Matches(invented())
    truth = affinity(place=0.1, finding=0.9, denied=0.5, penalty=0.2)
    target = Target(-matches.scores(truth), list(range(90)), "errors")
    found, report = fit_ratescore(matches, target, trials=80, folds=2, seed=1)
    assert report["cross_validation"]["fit"]["mean"] > 0.93
    assert report["test"]["fit"]["value"] > 0.93
    assert report["cross_validation"]["fit"]["mean"] > report["cross_validation"]["long"]["mean"] + 0.1
    assert found.weights[FINDING] > 4 * found.weights[PLACE]
    assert report["weights_searched"] == 3 and report["penalty_searched"] and report["seed"] == 1
    # weights that no match uses keep their published value
    others = [place for place in CELLS.values() if place not in (PLACE, FINDING, DENIED)]
    assert all(found.weights[p] == published_affinities()["long"].weights[p] for p in others)


def test_the_search_is_never_worse_than_its_start_and_depends_on_the_seed():
    matches, rows = Matches(invented()), np.arange(60)
    target = -matches.scores(published_affinities()["long"])
    _, tau = search(matches, target, rows, 5, seed=0)
    assert tau == pytest.approx(1, abs=1e-3)
    again = search(matches, -matches.scores(affinity(1, 1)), rows, 15, seed=4)[0]
    same = search(matches, -matches.scores(affinity(1, 1)), rows, 15, seed=4)[0]
    assert (again.weights == same.weights).all() and again.penalty == same.penalty


@pytest.fixture
def rated(tmp_path):
    rows = [
        {
            "id": f"secret-{p}-{r}",
            "study": f"secret-{r}-{p // 2}",
            "prediction": REPORTS[p],
            "reference": REPORTS[r],
            "expert": {"errors": [abs(p - r), 2 * abs(p - r)], "rating": 5 - abs(p - r)},
        }
        for p in range(6)
        for r in range(6)
    ]
    path = tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


OPTIONS = ["--trials", "4", "--folds", "2", "-q"]


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_the_metric_reads_a_written_fit_and_signs_with_it(rated, tmp_path, capsys, suffix):
    out = tmp_path / f"ours.{suffix}"
    assert cli.main(["fit", "ratescore", "--data", str(rated), "--out", str(out), *OPTIONS]) == 0
    assert f"ratescore.weights={out}" in capsys.readouterr().out
    text = out.read_text()
    assert "secret" not in text and "effusion" not in text
    weights = yaml.safe_load(text)
    assert set(weights) == {*CELLS, "neg_weight", "provenance"}
    assert weights["provenance"]["n"] == 36 and weights["provenance"]["models"]["lexicon"]
    result = load("ratescore", weights=str(out)).compute(REPORTS[:3], REPORTS[1:4])
    assert "|weights:ours-" in result["signature"]
    scorer = make_scorer("ratescore", None, make_resources(progress=False), {})
    pairs = [Pair(p, (r,)) for p, r in itertools.pairwise(REPORTS[:4])]
    matrix = np.zeros((5, 5))
    for name, place in CELLS.items():
        matrix[place] = weights[name]
    expected = Matches(scorer.matches(pairs)).scores(Affinity(matrix, weights["neg_weight"]))
    assert result["scores"] == pytest.approx(expected.tolist())


def test_the_same_seed_writes_the_same_bytes(rated, tmp_path):
    files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for file in files:
        assert cli.main(["fit", "ratescore", "--data", str(rated), "--out", str(file), *OPTIONS, "--seed", "5"]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


def test_ratings_are_negated(rated, tmp_path, capsys):
    out = tmp_path / "a.json"
    options = [*OPTIONS, "--target", "rating", "--json"]
    assert cli.main(["fit", "ratescore", "--data", str(rated), "--out", str(out), *options]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["provenance"]["target"] == "-rating"
    assert shown["provenance"]["development"]["fit"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trials", "1"], "--trials must be at least 2"),
        (["--target", "mistakes"], "unknown expert measure 'mistakes'"),
        (["--target", "significant_errors"], "no row has expert 'significant_errors'; found errors, rating"),
        (["--folds", "20"], "too few rows to fit: 36 rows of 18 studies"),
        (["--out", "ours.txt"], "the name must end in .yaml, .yml, .json"),
    ],
)
def test_unusable_data_or_options_are_refused(rated, tmp_path, capsys, options, message):
    out = str(tmp_path / "x.yaml")
    assert cli.main(["fit", "ratescore", "--data", str(rated), "--out", out, *OPTIONS, *options]) == 2
    assert message in capsys.readouterr().err


def test_reports_without_entities_are_refused(tmp_path, capsys):
    rows = [{"id": i, "prediction": "Thank you.", "reference": "Hello.", "expert": {"errors": i}} for i in range(12)]
    path = tmp_path / "empty.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert cli.main(["fit", "ratescore", "--data", str(path), "--out", str(tmp_path / "x.yaml"), *OPTIONS]) == 2
    assert "no pair has entities in both reports" in capsys.readouterr().err


def test_a_missing_optuna_is_reported(rated, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert cli.main(["fit", "ratescore", "--data", str(rated), "--out", str(tmp_path / "x.yaml"), *OPTIONS]) == 2
    assert "pip install 'radeval_core[fit]'" in capsys.readouterr().err
