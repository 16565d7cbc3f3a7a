"""Recipes: names, the user's own values, and their checks."""

import pytest

from radeval_core.errors import InputError
from radeval_core.train.detector.recipe import get_recipe, recipes


def test_detr_has_the_published_values():
    recipe = get_recipe("detr")
    assert (recipe.learning_rate, recipe.weight_decay, recipe.batch, recipe.epochs) == (5e-5, 1e-4, 8, 100)
    assert recipe.learning_rate * recipe.backbone_rate == pytest.approx(5e-6)


def test_only_given_values_replace_those_of_the_recipe():
    recipe = get_recipe("rt-detr").with_values(batch=2, epochs=None)
    assert (recipe.batch, recipe.epochs) == (2, recipes()["rt-detr"].epochs)


@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_value_must_be_above_zero(value):
    with pytest.raises(InputError, match="--learning-rate must be above 0"):
        get_recipe("detr").with_values(learning_rate=value)


def test_an_unknown_recipe_is_refused_with_the_closest_name():
    with pytest.raises(InputError, match="did you mean 'rt-detr'"):
        get_recipe("rtdetr")
