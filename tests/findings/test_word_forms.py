"""Words are read once per written form, and only words of the lexicon are remembered."""

from __future__ import annotations

import pytest

from radeval_core.findings.text import WordForms, tokenize


def read(text: str, forms: WordForms) -> tuple[str, ...]:
    return tokenize(text, forms).words


@pytest.fixture
def forms() -> WordForms:
    return WordForms({"lung", "opacity", "is"}, {"opacitiy": "opacity"}.get)  # type: ignore[arg-type]


def test_known_words_are_remembered_as_written_in_lower_case(forms: WordForms) -> None:
    assert read("Lungs lung OPACITIES", forms) == ("lung", "lung", "opacity")
    assert dict(forms) == {"lungs": ("lung", True), "lung": ("lung", False), "opacities": ("opacity", True)}


def test_other_words_of_a_report_are_not_remembered() -> None:
    forms = WordForms({"lung"})
    assert read("Smith 4711 lung", forms) == ("smith", "4711", "lung")
    assert list(forms) == ["lung"]


def test_mixtures_of_cases_outside_ascii_are_not_remembered(forms: WordForms) -> None:
    assert read("LUNG lUNG é", WordForms({"lung"}))[:2] == ("lung", "lung")
    other = WordForms({"lung"})
    read("LUNG lUNG é", other)
    assert not other


def test_a_word_that_is_not_known_is_corrected(forms: WordForms) -> None:
    assert read("opacitiy", forms) == ("opacity",)


@pytest.mark.parametrize("text", ["Lungs are clear.", "İstanbul LUNGS", "XXXX-lungs 3.5cm", "", "lung – base"])
def test_reading_twice_gives_the_same_tokens_and_offsets(text: str) -> None:
    forms = WordForms({"lung", "are", "clear", "base"})
    first, again = tokenize(text, forms), tokenize(text, forms)
    assert first == again == tokenize(text)
    assert all(
        text[a:b].lower().startswith(w[:2])
        for w, a, b in zip(again.words, again.starts, again.ends, strict=True)
        if w.isalpha()
    )
