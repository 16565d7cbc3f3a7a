"""A report that only says `Normal.` states something: the whole study is normal. It is no empty report."""

import pytest

from radeval_core.findings import parse


@pytest.mark.parametrize(
    "text",
    [
        "Normal.",
        "NORMAL",
        "Unremarkable.",
        "Normal study.",
        "Normal exam.",
        "This is a normal examination.",
        "The study is within normal limits.",
        "Negative study.",
        "Negative examination.",
        "NAD.",
        "Essentially normal.",
        "IMPRESSION: Normal.",
    ],
)
def test_the_whole_study_is_normal(text):
    assert "normal_study" in [f.finding for f in parse(text).findings]


@pytest.mark.parametrize(
    ("text", "finding"), [("CT HEAD: Normal.", "normal_head"), ("CHEST RADIOGRAPH:\nUnremarkable.", "normal_chest")]
)
def test_the_title_says_of_what(text, finding):
    assert finding in [f.finding for f in parse(text).findings]


@pytest.mark.parametrize(
    "text",
    [
        "Not normal.",
        "Probably not normal.",
        "Normal saline was injected.",
        "Normal variant anatomy of the bronchi.",
        "INDICATION: Normal.",
        "The heart size is normal.",
        "Skin: normal.",
        "Blood pressure is normal.",
        "Return to normal activity.",
    ],
)
def test_other_normal_words_say_nothing_about_the_study(text):
    assert "normal_study" not in [f.finding for f in parse(text).findings]


def test_a_normal_report_agrees_with_a_normal_one_and_misses_a_finding():
    from radeval_core import load

    green, fineradscore = load("green", progress=False), load("fineradscore", progress=False)
    assert green.compute(["Normal."], ["The lungs are clear."])["green"] == 1
    assert fineradscore.compute(["Normal."], ["The lungs are clear."])["fineradscore"] == 0
    missed = green.compute(["Normal."], ["Large right pneumothorax."], detailed=True)
    assert missed["green"] == 0 and "empty" not in missed["details"][0]["explanation"]
