"""Recipes: the papers' values, changed by the user, refused if impossible."""

import pytest

from radeval_core.errors import InputError
from radeval_core.train.judge.recipes import get_recipe, recipe_names


def test_the_recipe_of_green_has_the_values_of_section_3_1_2():
    recipe = get_recipe("green")
    assert (recipe.learning_rate, recipe.epochs, recipe.total_batch) == (1e-4, 12, 2048)
    assert (recipe.warmup, recipe.weight_decay, recipe.max_tokens, recipe.full) == (0.05, 0.1, 2048, True)


def test_a_step_of_2048_rows_on_eight_devices_with_four_rows_each_takes_64_passes():
    assert get_recipe("green").accumulate(processes=8) == 64


def test_the_user_changes_values_and_none_keeps_the_recipes():
    recipe = get_recipe("crimson", {"lora_r": 8, "epochs": None})
    assert (recipe.lora_r, recipe.lora_alpha, recipe.epochs) == (8, 32, 3)


def test_without_an_adapter_its_settings_do_not_count():
    assert "lora_r" not in get_recipe("green").as_dict()
    assert get_recipe("green", {"full": False}).as_dict()["lora_r"] == 16


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epochs": 0}, "--epochs must be at least 1, got 0"),
        ({"learning_rate": 0.0}, "--learning-rate must be greater than 0, got 0.0"),
        ({"warmup": 1.0}, "--warmup must be between 0 and 1, got 1.0"),
        ({"batch": 16}, "--total-batch 8 is smaller than --batch 16"),
    ],
)
def test_an_impossible_value_is_one_line(given, message):
    with pytest.raises(InputError, match=message):
        get_recipe("small", given)


def test_an_unknown_recipe_names_the_known_ones():
    with pytest.raises(InputError, match="unknown recipe 'gren': did you mean 'green'"):
        get_recipe("gren")
    assert recipe_names() == ("green", "crimson", "small")
