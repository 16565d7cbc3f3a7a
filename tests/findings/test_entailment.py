"""Which statements of one report another report entails: the specific entails the general, never the reverse."""

import pytest

from radeval_core.findings import parse
from radeval_core.findings.entailment import Premises
from radeval_core.findings.statements import read_statements


def supports(statement, premises):
    """Return whether premises entail each statement of a text."""
    there = Premises(parse(premises))
    return there.supports(read_statements(parse(statement)))


def entailed(statement, premises):
    found = supports(statement, premises)
    assert found, "the text must state something"
    return all(support.entailed for support in found)


@pytest.mark.parametrize(
    "specific, general",
    [
        ("Small left pleural effusion.", "Pleural effusion."),
        ("Small left pleural effusion.", "Left pleural effusion."),
        ("Left lower lobe consolidation.", "Left lung consolidation."),
        ("Left lower lobe consolidation.", "Left lower lobe opacity."),
        ("Bilateral pleural effusions.", "Right pleural effusion."),
        ("New right pneumothorax.", "Right pneumothorax."),
        ("8 mm nodule in the right upper lobe.", "Nodule in the right upper lobe."),
        ("Pneumonia.", "Possible pneumonia."),
        ("Resolved pleural effusion.", "No pleural effusion."),
        # names that the lexicon does not list
        ("Functional popliteal entrapment.", "Popliteal entrapment."),
        ("Tegmen tympani dehiscence.", "Dehiscence of the tegmen."),
        # what is not there: the general denial says more
        ("No pleural effusion.", "No left pleural effusion."),
        ("No pleural effusion.", "No large pleural effusion."),
        ("The lungs are clear.", "No consolidation."),
        ("The lungs are clear.", "The left lung is clear."),
        ("Normal chest radiograph.", "Heart size is normal."),
    ],
)
def test_the_specific_entails_the_general_and_not_the_reverse(specific, general):
    assert entailed(general, specific)
    assert not entailed(specific, general)


@pytest.mark.parametrize(
    "one, other",
    [
        ("Left pleural effusion.", "Right pleural effusion."),
        ("Mild edema.", "Severe edema."),
        ("Right upper lobe nodule.", "Right lower lobe nodule."),
        ("Pneumothorax.", "No pneumothorax."),
        ("Increased left effusion.", "Decreased left effusion."),
        ("5 mm nodule.", "15 mm nodule."),
        ("The heart is enlarged.", "Heart size is normal."),
        ("No effusion.", "No pneumothorax."),
    ],
)
def test_neither_entails_the_other(one, other):
    assert not entailed(one, other)
    assert not entailed(other, one)


@pytest.mark.parametrize(
    "one, other",
    [
        ("There is a small left pleural effusion.", "Small effusion on the left."),
        ("Left and right pleural effusions.", "Bilateral pleural effusions."),
        ("The left lung is clear. The right lung is clear.", "The lungs are clear."),
        ("Opacity at the left base.", "Opacity at the left base, possibly pneumonia."),  # no speculation is asked for
        ("Right hydronephrosis.", "Hydronephrosis of the right kidney."),  # the name implies the place
        ("Consolidation in the left lower lobe.", "Left lower lobe pneumonia."),  # used interchangeably on a film
    ],
)
def test_each_entails_the_other(one, other):
    assert entailed(one, other)
    assert entailed(other, one)


@pytest.mark.parametrize(
    "statement, premises, why",
    [
        ("Left effusion.", "Right effusion.", "differs in side"),
        ("Large left effusion.", "Small left effusion.", "differs in severity"),
        ("Pneumonia.", "Possible pneumonia.", "differs in certainty"),
        ("Consolidation.", "Opacity.", "differs in the name of the finding"),
        ("Effusion.", "No effusion.", "denied"),
        ("Effusion.", "Clear lungs.", "not mentioned"),
        ("No effusion.", "Left effusion.", "stated as present"),
        ("The lungs are clear.", "Left lung nodule.", "something there is abnormal"),
    ],
)
def test_the_reason_is_named(statement, premises, why):
    assert [support.why for support in supports(statement, premises)] == [why]


def test_the_evidence_is_the_statement_that_decides():
    there = Premises(parse("Heart size is normal. Small left effusion. Small right effusion."))
    (claim,) = read_statements(parse("Bilateral effusions."))
    (found,) = there.supports([claim])
    assert found.entailed
    assert [there.statements[i].text for i in found.evidence] == [
        "mild left pleural effusion",
        "mild right pleural effusion",
    ]


def test_a_stated_finding_counts_more_than_what_something_normal_implies():
    report = "Nodule in the right upper lobe. The lungs are otherwise clear."
    assert not entailed("No nodule.", report)
    assert entailed("No consolidation.", report)


def test_a_finding_that_is_denied_by_name_is_not_entailed_by_another_word_for_it():
    assert entailed("Consolidation.", "Pneumonia.")
    assert not entailed("Consolidation.", "Pneumonia. No consolidation.")


@pytest.mark.parametrize(
    "text, statements",
    [
        ("Small left effusion. Left effusion.", ["mild left pleural effusion"]),
        ("No effusion. No pleural effusion. Clear lungs.", ["no pleural effusion", "normal lung"]),
        ("Possible pneumonia.", ["possible pneumonia"]),
        ("Stable 4 mm nodule in the left upper lobe.", ["unchanged 4 mm left nodule (upper lobe)"]),
        ("Comparison: none.", []),
        ("", []),
    ],
)
def test_statements_in_words(text, statements):
    assert [statement.text for statement in read_statements(parse(text))] == statements


def test_a_report_entails_all_that_it_says(example_pairs):
    for pair in example_pairs:
        for text in (pair["prediction"], pair["reference"]):
            report = parse(text)
            there = Premises(report)
            assert all(support.entailed for support in there.supports(there.statements)), pair["id"]
