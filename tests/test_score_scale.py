"""The scale from 0 to 1: every metric and every part has one; it keeps the order and stays inside its bounds."""

import math
from itertools import pairwise

import pytest
import yaml

from radeval_core.errors import InputError
from radeval_core.registry import get_spec, metric_names, metric_value
from radeval_core.score_scale import Scale, goodness, scale_of

VALUES = [v for name in metric_names() for v in (name, *(f"{name}.{part}" for part in get_spec(name).parts))]
GRID = [x / 8 for x in range(-80, 161)]


@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_mapped_into_0_to_1_and_keeps_its_order(name):
    scale, better = scale_of(name), metric_value(name).higher_is_better
    mapped = [scale(x) for x in (GRID if better else GRID[::-1])]
    assert all(0 <= y <= 1 for y in mapped)
    assert mapped == sorted(mapped) and mapped[0] < mapped[-1]
    assert scale(scale.best) == 1 and scale(scale.worst) == (0.5 if scale.errors else 0)
    assert (scale.best > scale.worst) is better
    assert math.isnan(scale(math.nan))


@pytest.mark.parametrize("name", VALUES)
def test_the_order_is_strict_between_worst_and_best(name):
    scale = scale_of(name)
    steps = [scale(scale.worst + (scale.best - scale.worst) * i / 10) for i in range(11)]
    assert all(one < other for one, other in pairwise(steps))


@pytest.mark.parametrize("name", metric_names())
def test_identical_reports_get_1(name):
    spec = get_spec(name)
    assert scale_of(name)(spec.identity) == pytest.approx(1) == goodness(spec, spec.identity)


def test_the_table_names_only_parts_that_exist(root):
    table = yaml.safe_load((root / "src/radeval_core/score_scale.yaml").read_text("utf-8"))
    assert {f"{metric}.{part}" for metric, parts in table.items() for part in parts} <= set(VALUES)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("crimson", -1.0, 0.0),
        ("crimson", 0.0, 0.5),  # an empty report
        ("chexprompt", 0.0, 1.0),
        ("chexprompt", 3.0, 0.25),
        ("fineradscore.max", 3.0, 0.25),
        ("green.error_count", 1.0, 0.5),
        ("radcliq", 2.4501430833271307, 0.0),
        ("radcliq", 5.0, 0.0),
        ("radcliq", (2.4501430833271307 - 1.4406902828047017) / 2, 0.5),
        ("radcliq.v0", 5.516, 0.0),
        ("ct_f1.label_errors", 9.0, 0.5),
    ],
)
def test_by_hand(name, value, expected):
    assert scale_of(name)(value) == pytest.approx(expected, abs=1e-4)


def test_the_formulas_of_the_table():
    assert Scale(0, 1).formula == "x"
    assert Scale(-1, 1).formula == "linear from -1 to 1"
    assert Scale(4, 0, errors=True).formula == "1 / (1 + x / 4)"
    assert Scale(1, 0, errors=True).formula == "1 / (1 + x)"


def test_unknown_names():
    with pytest.raises(InputError, match="did you mean 'green'"):
        scale_of("gren")
    with pytest.raises(InputError, match="unknown part of green"):
        scale_of("green.nothing")
