"""What clients may choose: nothing that opens a file, loads a model or asks a server."""

import pytest

from radeval_core.errors import InputError
from radeval_core.registry import metric_names, metric_options


@pytest.fixture(scope="module")
def Offer():
    from radeval_core.serve.offer import Offer

    return Offer


def test_clients_set_only_switches_and_choices(Offer):
    offer = Offer.of(metric_names())
    allowed = {f"{name}.{key}" for name in metric_names() for key in offer.client_options(name)}
    assert allowed == {
        "bertscore.idf",
        "bertscore.rescale",
        "bleu.lowercase",
        "bleu.tokenize",
        "chexbert_f1.labels",
        "chexbert_f1.uncertain",
        "chexprompt.open_match",
        "crimson.open_match",
        "ffl_rq.granularity",
        "fineradscore.open_match",
        "green.open_match",
        "green.summary",
        "radcliq.idf",
        "radfact.filter_negatives",
        "radfact.instructions",
        "radfact.open_match",
        "radgraph_f1.habits",
        "radgraph_f1.lowercase",
        "ratescore.decoding",
        "ratescore.penalty",
        "rouge.stemmer",
    }, "look at the new option: may a stranger set it?"
    for name in metric_names():
        for key in offer.client_options(name):
            option = metric_options(name)[key]
            assert option.type is bool or option.choices


def test_the_first_config_is_the_default_and_a_folder_goes_by_its_name(Offer, tiny_encoder):
    offer = Offer.of(["bertscore"], [("bertscore", str(tiny_encoder)), ("bertscore", "embedded")])
    assert offer.configs == {"bertscore": {tiny_encoder.name: str(tiny_encoder), "embedded": "embedded"}}
    assert offer.task("bertscore", None, {}).config == tiny_encoder.name
    with pytest.raises(InputError, match="offered"):
        offer.task("bertscore", str(tiny_encoder), {})


def test_two_folders_of_one_name_are_refused(Offer, tmp_path):
    folders = [tmp_path / "a" / "model", tmp_path / "b" / "model"]
    for folder in folders:
        folder.mkdir(parents=True)
    with pytest.raises(InputError, match="two configs of bertscore are called 'model'"):
        Offer.of(["bertscore"], [("bertscore", str(folder)) for folder in folders])


def test_options_of_the_owner_hold_and_cannot_be_changed(Offer):
    from radeval_core import api

    offer = Offer.of(["bleu"], options={"bleu": {"lowercase": True}})
    scorer = offer.scorer(offer.task("bleu", None, {}), api.make_resources(progress=False))
    assert scorer.chosen["lowercase"] is True
    with pytest.raises(InputError, match=r"offered: tokenize"):
        offer.task("bleu", None, {"lowercase": False})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["green"], [("rouge", "embedded")]), "not among the metrics"),
        ((["green"], [("green", "radlama2-7b")]), "did you mean 'radllama2-7b'"),
        ((["green"], [], {"green": {"sumary": True}}), "did you mean 'summary'"),
        ((["green"], [], {"rouge": {"stemmer": True}}), "not among the metrics"),
    ],
)
def test_a_mistyped_offer_is_an_error(Offer, arguments, message):
    with pytest.raises(InputError, match=message):
        Offer.of(*arguments)


def test_the_same_options_in_another_order_are_the_same_task(Offer):
    offer = Offer.of(["bleu"])
    one = offer.task("bleu", None, {"lowercase": True, "tokenize": "intl"})
    assert one == offer.task("bleu", "embedded", {"tokenize": "intl", "lowercase": "yes"})
