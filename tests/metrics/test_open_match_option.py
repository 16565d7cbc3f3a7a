"""The option that chooses how findings beyond the lexicon are compared, and where it shows."""

import pytest

from radeval_core import load
from radeval_core.errors import InputError


@pytest.mark.parametrize("name", ["green", "fineradscore"])
def test_the_signature_names_the_mode(name):
    result = load(name).compute(["Myocardial bridging."], ["Myocardial bridging."])
    assert "|open:words|" in result["signature"]


def test_details_say_what_decided():
    result = load("green").compute(["Tegmen tympani dehiscence."], ["Dehiscence of the tegmen tympani."], detailed=True)
    assert result["details"][0]["matched"]["entries"][0]["matched_by"] == "name"
    assert result["scores"] == [1.0]


def test_a_model_compares_findings_itself():
    with pytest.raises(InputError, match="open_match is for config 'embedded'"):
        load("green", config="http:some-model", open_match="words").compute(["Effusion."], ["Effusion."])


def test_an_unknown_mode_is_refused():
    with pytest.raises(InputError, match="words, minilm"):
        load("green", open_match="vectors").compute(["Effusion."], ["Effusion."])


@pytest.mark.e2e
def test_the_encoder_is_used_only_on_request():
    pair = ["Beaded irregularity of the artery."], ["Arterial beading."]
    words = load("green").compute(*pair)
    vectors = load("green", open_match="minilm").compute(*pair, detailed=True)
    assert "|open:minilm|" in vectors["signature"]
    assert words["scores"] == [0.0] and vectors["scores"] == [1.0]
    assert vectors["details"][0]["matched"]["entries"][0]["matched_by"] == "encoder"
