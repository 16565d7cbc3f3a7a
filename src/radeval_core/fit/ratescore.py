"""Fit RaTEScore's weights W and penalty p to experts with a Tree-structured Parzen Estimator, as in its paper.

Zhao et al., EMNLP 2024, section 2.4. The weights do not change which entities match. So the reports are read and
matched once, and a trial is only arithmetic on the matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from radeval_core import __version__, api
from radeval_core.errors import InputError, needs_extra
from radeval_core.fit.folds import Rows, held_out_tau, plan, studies_needed, tau_on_test
from radeval_core.fit.table import Target, check_rows, expert_target, open_rated, origin
from radeval_core.functional.ratescore import CELLS, NO_ENTITIES, TYPES, Affinity, EntityMatch, published_affinities
from radeval_core.metrics.ratescore import RateScorer
from radeval_core.stats.agreement import Array, coefficient

#: search range of W and p; only ratios of W matter
LOWEST, HIGHEST = 0.0, 1.0
DECIMALS = 6
START = "long"


@dataclass(frozen=True)
class Direction:
    """The matches of all pairs in one direction, as flat arrays.

    Attributes:
        pair: index of the pair of each match.
        cell: index of its weight in the flattened matrix.
        similarity: similarity of the two names.
        penalised: True if the types of a match differ in a way that is penalised.
    """

    pair: NDArray[np.int64]
    cell: NDArray[np.int64]
    similarity: Array
    penalised: NDArray[np.bool_]

    @classmethod
    def of(cls, matches: Sequence[Sequence[EntityMatch]]) -> Direction:
        """Flatten the matches of each pair."""
        flat = [(i, m) for i, of_pair in enumerate(matches) for m in of_pair]
        return cls(
            np.array([i for i, _ in flat], dtype=np.int64),
            np.array([m.cell[0] * len(TYPES) + m.cell[1] for _, m in flat], dtype=np.int64),
            np.array([m.similarity for _, m in flat], dtype=np.float64),
            np.array([m.penalised for _, m in flat], dtype=np.bool_),
        )

    def means(self, affinity: Affinity, n: int) -> Array:
        """Return the weighted mean similarity of each pair; 0 if all weights of the pair are 0."""
        weights = affinity.weights.ravel()[self.cell]
        kept = np.where(self.penalised, affinity.penalty, 1.0)
        total = np.bincount(self.pair, weights, minlength=n)
        reached = np.bincount(self.pair, weights * kept * self.similarity, minlength=n)
        return np.divide(reached, total, out=np.zeros(n), where=total > 0)


class Matches:
    """The matches of all pairs, to compute RaTEScore quickly for any weights."""

    def __init__(self, matches: Sequence[tuple[Sequence[EntityMatch], Sequence[EntityMatch]]]) -> None:
        self.n = len(matches)
        self.forth, self.back = (Direction.of([both[side] for both in matches]) for side in (0, 1))
        self._read = np.array([bool(forth) and bool(back) for forth, back in matches])

    def scores(self, affinity: Affinity) -> Array:
        """Return the RaTEScore of every pair."""
        precision, recall = self.forth.means(affinity, self.n), self.back.means(affinity, self.n)
        both = (precision > 0) & (recall > 0)
        mean = np.divide(2 * precision * recall, precision + recall, out=np.zeros(self.n), where=both)
        return np.where(self._read, mean, NO_ENTITIES)

    def names(self, rows: Rows) -> list[str]:
        """Return the names of the weights that these pairs use, and `neg_weight` if a match is penalised.

        Other weights do not affect these pairs.
        """
        matches = [np.isin(side.pair, rows) for side in (self.forth, self.back)]
        sides = list(zip((self.forth, self.back), matches, strict=True))
        used = {int(cell) for side, chosen in sides for cell in side.cell[chosen]}
        names = [name for name, (i, j) in CELLS.items() if i * len(TYPES) + j in used]
        return [*names, *(["neg_weight"] if any(side.penalised[chosen].any() for side, chosen in sides) else [])]


def search(
    matches: Matches, target: Array, rows: Rows, trials: int, seed: int, progress: tqdm[Any] | None = None
) -> tuple[Affinity, float]:
    """Search for the weights with the highest Kendall's tau on some rows, and return them with that tau.

    The first trial is the published set, so the result is never worse than it on these rows. Weights that these rows do
    not use keep their published value.
    """
    try:
        import optuna
    except ImportError as error:
        raise needs_extra("fit", "`radeval fit ratescore`") from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    names = matches.names(rows)
    start = published_affinities()[START]

    def affinity(values: Mapping[str, float]) -> Affinity:
        weights = start.weights.copy()
        for name in names:
            if name != "neg_weight":
                weights[CELLS[name]] = values[name]
        return Affinity(weights, values.get("neg_weight", start.penalty))

    def tau(trial: optuna.Trial) -> float:
        values = {name: round(trial.suggest_float(name, LOWEST, HIGHEST), DECIMALS) for name in names}
        found = coefficient("kendall", -matches.scores(affinity(values))[rows], target[rows])
        if progress is not None:
            progress.update()
        return -1.0 if np.isnan(found) else found  # a constant score is the worst result

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    published = {name: start.penalty if name == "neg_weight" else float(start.weights[CELLS[name]]) for name in names}
    study.enqueue_trial({name: float(np.clip(value, LOWEST, HIGHEST)) for name, value in published.items()})
    study.optimize(tau, n_trials=trials)
    best = {name: round(value, DECIMALS) for name, value in study.best_params.items()}
    return affinity(best), float(study.best_value)


def fit_ratescore(
    matches: Matches,
    target: Target,
    *,
    trials: int = 300,
    folds: int = 5,
    test_share: float = 0.2,
    seed: int = 0,
    progress: bool = False,
) -> tuple[Affinity, dict[str, Any]]:
    """Fit weights on the development rows and evaluate them on held-out rows.

    Args:
        matches: the matches of all pairs.
        target: the expert values; rows without a value are skipped.
        trials: sets of weights to try per fold and for the final fit.
        folds: folds of the cross-validation.
        test_share: share of the studies used only for the test.
        seed: seed of the split and of the search.
        progress: show a progress bar on a terminal.

    Returns:
        The weights, and a report of plain values.
    """
    if trials < 2:
        raise InputError(f"--trials must be at least 2, got {trials}")
    known = np.flatnonzero(~np.isnan(target.values))
    studies = target.known().studies
    check_rows(target.known(), studies_needed(folds, test_share))
    split = plan(studies, folds, test_share, seed)
    names = matches.names(known[split.development])
    if not names:
        raise InputError("no pair has entities in both reports, so no weights can be fitted")
    with tqdm(total=trials * (folds + 1), desc="fitting", unit="trial", disable=None if progress else True) as bar:
        fitted = [
            search(matches, target.values, known[train], trials, seed + 1 + i, bar)[0]
            for i, (train, _) in enumerate(split.folds)
        ]
        final, reached = search(matches, target.values, known[split.development], trials, seed, bar)
    values = target.values[known]
    errors = {name: -matches.scores(one)[known] for name, one in {"fit": final, **published_affinities()}.items()}
    held_out = [-matches.scores(one)[known][rows] for one, (_, rows) in zip(fitted, split.folds, strict=True)]
    by_fold = {"fit": held_out} | {
        name: [errors[name][rows] for _, rows in split.folds] for name in published_affinities()
    }
    return final, {
        "target": target.name,
        "n": len(known),
        "left_out": len(target.values) - len(known),
        "studies": len(set(studies)),
        "seed": seed,
        "trials": trials,
        "start": START,
        "weights_searched": len([name for name in names if name in CELLS]),
        "penalty_searched": "neg_weight" in names,
        "n_development": len(split.development),
        "n_test": len(split.test),
        "development": {
            "fit": reached,
            **{
                name: coefficient("kendall", errors[name][split.development], values[split.development])
                for name in published_affinities()
            },
        },
        "cross_validation": {name: held_out_tau(columns, values, split.folds) for name, columns in by_fold.items()},
        "test": {
            name: tau_on_test(lambda rows, c=column: c[rows], values, studies, split.test)  # type: ignore[misc]
            for name, column in errors.items()
        },
        "core": __version__,
    }


def fit_file(
    path: str | Path,
    target: str,
    config: str | None = None,
    scoring: dict[str, Any] | None = None,
    data_config: str | None = None,
    split: str | None = None,
    progress: bool = False,
    **settings: Any,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fit RaTEScore to pairs with expert ratings.

    Args:
        path: a JSONL file, a dataset or its folder, in the layout of `radeval bench`.
        target: an expert measure.
        config: config of ratescore that reads the entities.
        scoring: device, batch_tokens and cache.
        progress: show a progress bar on a terminal.
        data_config: config of a built dataset.
        split: split of a built dataset.
        settings: further arguments of `fit_ratescore`.

    Returns:
        The content of the weights file, and the report of `fit_ratescore`.
    """
    data = open_rated(path, data_config, split)
    goal = expert_target(data, target, str(path))
    check_rows(goal.known(), studies_needed(settings.get("folds", 5), settings.get("test_share", 0.2)))
    scorer = api.make_scorer("ratescore", config, api.make_resources(progress=progress, **(scoring or {})), {})
    assert isinstance(scorer, RateScorer)
    scorer.warm_up()
    fitted, report = fit_ratescore(Matches(scorer.matches(data.pairs)), goal, progress=progress, **settings)
    models = {key: value for key, value in scorer.signature_fields().items() if key != "weights"}
    weights: dict[str, Any] = {name: float(fitted.weights[place]) for name, place in CELLS.items()}
    provenance = {"metric": "ratescore", "data": origin(data), **report}
    provenance |= {"config": scorer.config.name, "models": models}
    return {**weights, "neg_weight": fitted.penalty, "provenance": provenance}, report
