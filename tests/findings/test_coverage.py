"""How much of a report the parser understood, worked out by hand: content words, understood ones, unread sentences."""

import pytest

from radeval_core.findings import coverage_of, parse
from radeval_core.findings.coverage import _FUNCTION
from radeval_core.findings.languages import foreign_language
from radeval_core.findings.parser import FindingsParser
from radeval_core.findings.text import GAP


def share(text):
    return coverage_of(parse(text)).share


def unread(text):
    return [text[start:end] for start, end in coverage_of(parse(text)).unread]


@pytest.mark.parametrize(
    "text, understood, content",
    [
        ("The lungs are clear.", 2, 2),  # lung, clear
        ("There is no pneumothorax seen on this radiograph.", 1, 1),  # pneumothorax; seen and radiograph only report
        ("Small left pleural effusion.", 4, 4),
        ("Patchy consolidation.", 1, 2),  # patchy is in no form
        ("Severe glorbitis of the flumen.", 0, 3),  # severe describes nothing that is known
        ("The lungs are clear. Severe glorbitis of the flumen.", 2, 5),
        ("Severe glorbitis of the left lung.", 0, 4),  # a place alone states nothing
        ("Glorbitis with pleural effusion.", 2, 3),  # the effusion is read, so the sentence is
        ("A nodule of 4 mm, measured on 12/03/2019.", 1, 1),  # numbers, units and dates do not count
        ("TECHNIQUE: Zorbic flumen sequences.\nFINDINGS: The lungs are clear.", 2, 2),
        ("INDICATION: Glorbitis.\n\nFINDINGS:\nNo effusion.", 1, 1),
        ("Consolodation.", 1, 1),  # misspelt words are corrected first
    ],
)
def test_share_of_the_content_words(text, understood, content):
    assert share(text) == pytest.approx(understood / content)


@pytest.mark.parametrize(
    "text",
    [
        "Normal.", "No change.", "Stable.", "Unremarkable.", "No acute abnormality.", "NAD", "Normal study", "As above",
        "Unchanged.", "Negative.", "Clear.", "WNL", "No findings.", "No acute disease.", "Normal exam.", "See above.",
        "No significant interval change.", "Negative chest.", "Within normal limits.", "1. Stable. 2. No change.",
        "Stable chest.", "Improved.", "Stable post-procedural chest.", "History of pneumonia.",
    ],
)  # fmt: skip
def test_ordinary_short_reports_are_understood(text):
    read = coverage_of(parse(text))
    assert (read.share, read.unread, read.language, read.reason) == (1.0, (), "", "")


def test_a_sentence_that_is_not_understood_is_marked_and_the_others_stand():
    text = "The lungs are clear. Severe glorbitis of the flumen. No change."
    assert unread(text) == ["Severe glorbitis of the flumen."]
    assert coverage_of(parse(text)).reason == ""


@pytest.mark.parametrize("text", ["xqz flurb wibble", "No glorbitis.", "I cannot help with that request."])
def test_nothing_is_understood(text):
    read = coverage_of(parse(text))
    assert (read.share, read.language) == (0.0, "")
    assert read.reason == "has no sentence that the parser understands"
    assert unread(text) == [text]


def test_a_report_with_sections_but_without_findings_is_not_understood():
    read = coverage_of(parse("INDICATION: Cough."))
    assert read.share == 0.0 and read.reason.startswith("has no sentence about findings")


@pytest.mark.parametrize("text", ["", "  \n", "...", "123", "XXXX", "___ ___"])
def test_a_report_without_words_leaves_nothing_unread(text):
    assert coverage_of(parse(text)) == coverage_of(parse(""))
    assert share(text) == 1.0


@pytest.mark.parametrize(
    "language, texts",
    {
        "German": ["Kein Pneumothorax.", "Großer Pneumothorax rechts.", "Herz normal groß. Kein Erguss."],
        "French": ["Pas de pneumothorax.", "Volumineux pneumothorax droit.", "Consolidation du lobe inférieur droit."],
        "Spanish": ["No hay derrame pleural.", "Cardiomegalia. Gran derrame pleural izquierdo."],
        "Italian": ["Non versamento pleurico.", "Ampio versamento pleurico destro."],
        "Portuguese": ["Não há derrame pleural.", "Pneumotórax à direita."],
        "Dutch": ["Geen pneumothorax. Hart niet vergroot.", "Grote pneumothorax rechts."],
        "Turkish": ["Plevral efüzyon izlenmedi.", "Sağ akciğerde pnömotoraks."],
        "Polish": ["Serce niepowiększone. Bez płynu w prawej jamie opłucnej."],
        "Chinese": ["双肺清晰，未见胸腔积液。", "CT示右侧大量气胸。"],
        "Japanese": ["右肺に浸潤影を認める。"],
        "Korean": ["흉막 삼출이 없습니다."],
        "Russian": ["Лёгкие без очаговых изменений."],
        "Arabic": ["لا يوجد انصباب جنبي"],
        "Greek": ["Δεν υπάρχει πνευμοθώρακας."],
    }.items(),
)
def test_another_language_is_named_and_nothing_of_it_counts(language, texts):
    for text in texts:
        read = coverage_of(parse(text))
        assert read.language.startswith(language), text
        assert read.share == 0.0 and len(read.unread) == len(parse(text).sentences)
        assert read.reason == f"reads like {read.language}"


def test_english_headings_do_not_hide_another_language():
    read = coverage_of(parse("FINDINGS: Kein Pneumothorax.\nIMPRESSION: Normal."))
    assert (read.share, read.language) == (0.0, "German")


@pytest.mark.parametrize(
    "text",
    [
        "Die-cast sur le table des glorbs, and the flumen is not seen in the image.",
        "Le Fort fracture, zorbic.",
        "De Quervain glorbitis with effusion.",
        "Os zorbicum. Effusion.",
        "LA glorbs. LA enlargement.",
        "Mass en plaque, zorbic.",
        "Para-aortic and non-zorbic flumen, non-glorbic nodes.",
        "Normal β-flumen.",
    ],
)
def test_names_and_abbreviations_are_not_another_language(text):
    assert coverage_of(parse(text)).language == ""


def test_a_word_of_both_languages_counts_for_neither():
    english = frozenset({"no", "the"})
    assert foreign_language("no derrame", english) == "Spanish"
    assert foreign_language("no", english) == ""
    assert foreign_language("the derrame of the", english | {"of"}) == ""


def test_every_form_that_makes_a_finding_contains_a_content_word():
    """Otherwise a sentence with a finding could count as not understood."""
    lexicon = FindingsParser().lexicon
    bare = [
        tokens
        for tokens, roles in lexicon._surface.items()
        if (roles.finding or roles.describes) and all(t in _FUNCTION or not (t.isalpha() or t == GAP) for t in tokens)
    ]
    assert bare == []


def test_the_words_of_a_users_lexicon_are_understood(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("glorbitis: {kind: disease, significance: minor, regions: [], forms: [glorbitis]}\n")
    parser = FindingsParser([path])
    assert coverage_of(parser.parse("Severe glorbitis.")).share == 1.0
