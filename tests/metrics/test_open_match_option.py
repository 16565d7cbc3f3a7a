"""The option that chooses how findings beyond the lexicon are compared, and where it shows."""

import pytest

from radeval_core import load
from radeval_core.errors import InputError

#: reports of which the lexicon lists nothing
OPEN = "Myocardial bridging. Left popliteal entrapment. No tegmen tympani dehiscence."


@pytest.mark.parametrize("name", ["green", "fineradscore", "crimson", "chexprompt", "radfact"])
def test_the_signature_names_the_mode(name):
    result = load(name).compute(["Myocardial bridging."], ["Myocardial bridging."])
    assert "|open:words|" in result["signature"]


def test_details_say_what_decided():
    result = load("green").compute(["Tegmen tympani dehiscence."], ["Dehiscence of the tegmen tympani."], detailed=True)
    assert result["details"][0]["matched"]["entries"][0]["matched_by"] == "name"
    assert result["scores"] == [1.0]


@pytest.mark.parametrize(
    "name, values",
    [("crimson", [1.0, -0.3333, 0.5]), ("chexprompt", [0.0, 3.0, 1.0]), ("radfact", [1.0, 0.0, 0.8])],
)
def test_judges_of_other_prompts_compare_open_findings_too(name, values):
    candidates = [
        OPEN,
        "No myocardial bridging. Tegmen tympani dehiscence.",
        OPEN.replace("Left popliteal entrapment. ", ""),
    ]
    assert load(name).compute(candidates, [OPEN] * 3)["scores"] == pytest.approx(values, abs=1e-4)


def test_radfact_gives_the_name_of_an_open_finding():
    result = load("radfact").compute([OPEN], [OPEN], detailed=True)
    texts = [phrase["phrase"] for phrase in result["details"][0]["prediction"]]
    assert texts == ["myocardial bridging (myocardium)", "left popliteal entrapment", "no tegmen tympani dehiscence"]


@pytest.mark.parametrize("name", ["green", "crimson", "radfact"])
def test_a_model_compares_findings_itself(name):
    with pytest.raises(InputError, match="open_match is for config 'embedded'"):
        load(name, config="http:some-model", open_match="words").compute(["Effusion."], ["Effusion."])


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
