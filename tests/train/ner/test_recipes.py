"""Presets of encoders and hyper-parameters."""

import pytest

from radeval_core.errors import InputError
from radeval_core.train.ner.recipes import base_names, get_base, get_recipe


def test_the_papers_hyper_parameters():
    iob = get_recipe("iob", get_base("deberta-v3"))
    span = get_recipe("span", get_base("biomedbert"))
    assert (iob.learning_rate, iob.epochs, iob.batch) == (1e-5, 10, 96)
    assert (span.learning_rate, span.max_width, span.head_width) == (6e-6, 8, 3096)


def test_every_encoder_of_table_6_has_a_name():
    from radeval_core.bench.published import published_values

    values = published_values({"dataset": "rate_ner", "config": "all", "split": "test"}, "entities")
    labels = {value["label"] for value in values if value["table"] == "table 6"}
    named = {(base.scheme, base.paper) for base in map(get_base, base_names()) if base.paper}
    assert {f"{'IOB' if scheme == 'iob' else scheme}, {paper}" for scheme, paper in named} == labels


def test_a_hub_id_of_the_paper_is_known_by_its_id():
    base = get_base("microsoft/deberta-v3-base")
    assert (base.name, base.paper) == ("microsoft/deberta-v3-base", "DeBERTa_v3")
    assert get_base("my-org/my-encoder").id == "my-org/my-encoder"


def test_own_settings_replace_those_of_the_recipe():
    recipe = get_recipe("iob", get_base("minilm"), epochs=2, batch=None)
    assert (recipe.epochs, recipe.batch) == (2, 32)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: get_base("deberta"), "did you mean 'deberta-v3'.* a Hub id such as"),
        (lambda: get_base("./missing"), "unknown base"),
        (lambda: get_recipe("crf", get_base("minilm")), "unknown scheme 'crf'"),
        (lambda: get_recipe("iob", get_base("minilm"), learning_rate=-1), "--learning-rate must be larger than 0"),
    ],
)
def test_wrong_names_and_values(act, message):
    with pytest.raises(InputError, match=message):
        act()
