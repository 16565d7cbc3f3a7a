"""What the embedded judge says about a pair: empty reports, and a number of matches that equals the count."""

import pytest

from radeval_core.error_categories import CATEGORIES, FALSE_COMPARISON, OMITTED_COMPARISON
from radeval_core.findings import parse
from radeval_core.judges.green.embedded import analyse


@pytest.mark.parametrize(
    ("reference", "candidate", "start"),
    [
        ("Left effusion.", "", "The candidate is empty. missing finding"),
        ("No effusion.", " \n", "The candidate is empty. 0 findings"),
        ("", "Left effusion.", "The reference is empty. false finding"),
        ("", "", "The candidate is empty. The reference is empty. 0 findings"),
        ("Left effusion.", "Zork.", "The parser reads no finding in the candidate."),
        ("Left effusion.", "Left effusion.", "No difference. 1 finding in common."),
    ],
)
def test_an_empty_report_is_named(reference, candidate, start):
    assert analyse(parse(reference), parse(candidate)).explanation.startswith(start)


@pytest.mark.parametrize(
    ("report", "text"),
    [
        ("Left effusion. Cardiomegaly.", "2 findings in common."),
        ("The lungs are clear.", "1 finding in common: what both call normal."),
        (
            "The lungs are clear. Left effusion. Cardiomegaly.",
            "3 findings in common, counting what both call normal as one.",
        ),
    ],
)
def test_the_matches_in_words_are_those_counted(report, text):
    analysis = analyse(parse(report), parse(report))
    assert analysis.explanation.endswith(text) and text.startswith(str(analysis.matched.count))


@pytest.mark.parametrize(
    ("reference", "candidate", "category", "significant"),
    [
        ("Left effusion has increased.", "Left effusion has decreased.", FALSE_COMPARISON, True),
        ("Worsening pulmonary edema.", "Improved pulmonary edema.", FALSE_COMPARISON, True),
        ("Left effusion.", "New left effusion.", FALSE_COMPARISON, True),
        ("Left effusion has increased.", "Left effusion.", OMITTED_COMPARISON, True),
        ("Left effusion.", "Stable left effusion.", FALSE_COMPARISON, False),
        ("Scarring at the left apex.", "Increased scarring at the left apex.", FALSE_COMPARISON, False),
    ],
)
def test_a_course_of_a_finding_that_is_acted_on_is_significant(reference, candidate, category, significant):
    analysis = analyse(parse(reference), parse(candidate))
    counted = dict(zip(CATEGORIES, analysis.significant if significant else analysis.insignificant, strict=True))
    assert {name for name, errors in counted.items() if errors.count} == {category}
