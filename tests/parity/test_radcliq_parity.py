"""RadCliQ's own BLEU-2 and BERTScore input beside CXR-Report-Metric, on invented texts with unusual white space."""

import json
from pathlib import Path

import pytest

from radeval_core import load
from radeval_core.functional.bleu import radcliq_bleu2, radcliq_tokens
from radeval_core.functional.radcliq import bertscore_text

HERE = Path(__file__).parent
PAIRS = json.loads((HERE / "radcliq" / "outputs.json").read_text("utf-8"))["pairs"]


@pytest.mark.parametrize("pair", PAIRS)
def test_tokens(pair):
    assert radcliq_tokens(pair["prediction"]) == pair["prediction_tokens"]
    assert radcliq_tokens(pair["reference"]) == pair["reference_tokens"]


@pytest.mark.parametrize("pair", PAIRS)
def test_bleu_2(pair):
    assert radcliq_bleu2(pair["prediction"], [pair["reference"]]) == pytest.approx(pair["bleu_2"], abs=1e-12)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The  lungs   are clear .", "The lungs are clear ."),  # case and periods stay
        ("Clear.\n\nNo  mass.\t\tEnd", "Clear.\n\nNo mass.\t\tEnd"),  # only spaces are joined
        ("  Clear.", " Clear."),
    ],
)
def test_text_for_bertscore(text, expected):
    assert bertscore_text(text) == expected


@pytest.mark.parametrize("idf", [False, True])
def test_repeated_spaces_do_not_change_the_bertscore_part(idf):
    encoder = str(HERE / "bertscore" / "tiny-roberta")  # for a byte-level vocabulary each further space is a token
    plain = ["Small left effusion. No mass.", "Clear lungs."], ["Left effusion. No mass.", "No mass."]
    spaced = [[text.replace(" ", "   ") for text in side] for side in plain]
    assert load("bertscore", checkpoint=encoder).compute(*spaced)["scores"] != pytest.approx(
        load("bertscore", checkpoint=encoder).compute(*plain)["scores"], abs=1e-3
    )
    radcliq = load("radcliq", bertscore=encoder, idf=idf)
    ours, expected = (radcliq.compute(*texts)["bertscore_scores"] for texts in (spaced, plain))
    assert ours == pytest.approx(expected, abs=1e-6)
