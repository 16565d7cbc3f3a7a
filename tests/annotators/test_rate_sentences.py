"""Splitting reports into sentences. The expected results were observed with medspaCy 1.3.1 and PyRuSH 1.0.13."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radeval_core.annotators.rate_sentences import all_sentences, rate_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in rate_sentences(text)]


# `|` marks the cuts
CASES = {
    "full stops": "Lungs are clear.| Heart size normal.| No pneumothorax.",
    "a lower-case start after a word": "Lungs are clear.| no effusion",
    "no lower-case start after a capital": "Lungs in XXXX. no effusion seen.| Heart is large.",
    "no space, no cut": "Lungs are clear.Heart size normal.",
    "decimals": "A 2.5 cm nodule, previously 1.8 cm.| Stable.",
    "a digit does not begin one": "Increase of 50%. 10 mm nodule.| The heart is large.",
    "XXXX before a word": "Blunting of the right costophrenic XXXX.| No focal infiltrate.",
    "the last end of a report always cuts": "Of the transverse XXXX.| XXXX airspace opacity.",
    "all capitals: only the last end cuts": "NO EFFUSION. NORMAL CHEST.| LUNGS CLEAR.",
    "opening words": "Spondylosis of T12.| The heart is large.| This is new.",
    "doctors": "Discussed with Dr. Smith.| He agreed.",
    "question": "Pneumonia?| Follow up.",
    "numbers in a line": "No abnormality.| 1. Increased opacity.| 2. No effusion.",
    "a number before an opening word stays behind": "In the left base. 7.| This may be atelectasis.",
    "numbered lines": "Lungs clear.\n|2. No effusion.\n|3. Heart large.",
    "brackets": "1) Clear lungs |2) No effusion |3) Heart",
    "a line that continues": "There is a large\neffusion on the left.",
    "a line that begins with a capital": "Clear lungs\n|Heart is large",
    "empty line": "Clear lungs\n\n|Heart is large",
    "heading in its line": "FINDINGS: Lungs clear.| IMPRESSION: Normal.",
    "heading in a line before": "INDICATION:\n|chest pain\n|FINDINGS:\n|Clear lungs.",
    "heading without a line": "Shortness of breath |FINDINGS: The heart is large.",
    "spaces before full stops": "Lungs are clear .|  No effusion , no pneumothorax .",
    "bullets": "- Clear lungs.\n|- No effusion.",
    "tabs and carriage returns": "Clear lungs.|\tHeart large.\r\n|No effusion.",
    "quotation": '"Stable."| Then new.',
}


@pytest.mark.parametrize("marked", CASES.values(), ids=CASES)
def test_cuts(marked):
    assert sentences(marked.replace("|", "")) == [piece.strip() for piece in marked.split("|")]


def test_positions_are_those_in_the_report():
    assert rate_sentences("  Clear lungs.  Heart large.\n") == [(2, 14), (16, 28)]


@pytest.mark.parametrize("text", ["", "   ", "\n\t\r\n", ".", "1.", "--"])
def test_nothing_to_read(text):
    assert sentences(text) == []


def test_fragments_without_a_letter_are_dropped_and_words_are_kept():
    assert sentences("Limits are normal. .") == ["Limits are normal."]
    assert sentences("OK") == ["OK"]  # upstream drops everything with fewer than three characters


@given(st.text(alphabet='aA.1 \n:)?"-éX\t(', max_size=60) | st.text(max_size=60))
def test_no_character_is_lost_and_none_read_twice(text):
    spans = all_sentences(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans) and all(one[1] <= two[0] for one, two in pairwise(spans))
    assert set(rate_sentences(text)) <= set(spans)


@pytest.mark.parametrize("text", ["A" * 100_000, "No effusion. " * 8_000, "\n" * 100_000, "a.\n1. A" * 14_000])
def test_long_reports(text):
    assert sum(end - start for start, end in all_sentences(text)) >= len("".join(text.split()))
