"""An analysis written as a judge's answer reads back as the same analysis."""

import pytest

from radeval_core.corrections.lines import split_lines
from radeval_core.findings.parser import parse
from radeval_core.functional.crimson import crimson
from radeval_core.judges.crimson import answer as crimson_answer
from radeval_core.judges.crimson import embedded as crimson_embedded
from radeval_core.judges.crimson.write_answer import write_answer as write_crimson
from radeval_core.judges.fineradscore import answer as fineradscore_answer
from radeval_core.judges.fineradscore.embedded import correct
from radeval_core.judges.fineradscore.write_answer import write_answer as write_fineradscore
from radeval_core.judges.green import embedded as green_embedded
from radeval_core.judges.green.analysis import NONE, Counted, GreenAnalysis, GreenItem
from radeval_core.judges.green.answer import read_answer
from radeval_core.judges.green.write_answer import write_answer as write_green

PAIRS = [
    ("Small right effusion. Large left pneumothorax.", "Small left effusion. Fracture of a rib."),
    ("Mild edema, unchanged. No effusion.", "Severe edema. Small effusion."),
    ("Clear lungs. Normal heart size.", "Clear lungs. Normal heart size."),
    ("Nodule of 14 mm in the left upper lobe.", "Nodule of 4 mm in the left upper lobe. New consolidation."),
    ("Endotracheal tube ends 5 cm above the carina. Cardiomegaly.", "No acute cardiopulmonary process."),
]
WHOLE = """[Explanation]:
The side is wrong.

[Clinically Significant Errors]:
(a) False report of a finding in the candidate: 0.
(b) Missing a finding present in the reference: 2. edema; nodule, 5 mm
(c) Misidentification of a finding's anatomic location/position: 0.
(d) Misassessment of the severity of a finding: 0.
(e) Mentioning a comparison that isn't in the reference: 0.
(f) Omitting a comparison detailing a change from a prior study: 0.

[Clinically Insignificant Errors]:
(a) False report of a finding in the candidate: 0.
(b) Missing a finding present in the reference: 0.
(c) Misidentification of a finding's anatomic location/position: 0.
(d) Misassessment of the severity of a finding: 0.
(e) Mentioning a comparison that isn't in the reference: 0.
(f) Omitting a comparison detailing a change from a prior study: 0.

[Matched Findings]:
1. heart (large)"""
COMPACT = """[Explanation]:
The side is wrong.

[Clinically Significant Errors]:
(b) Missing a finding present in the reference: 2. edema; nodule, 5 mm

[Clinically Insignificant Errors]:
None.

[Matched Findings]:
1. heart (large)"""


def test_green_writes_the_form_of_the_paper():
    missing = Counted(2, (GreenItem("edema"), GreenItem("nodule; 5 mm")))
    errors = (NONE, missing, NONE, NONE, NONE, NONE)
    matched = Counted(1, (GreenItem("heart\n[large]"),))
    analysis = GreenAnalysis("The side is\nwrong.", errors, (NONE,) * 6, matched)
    assert write_green(analysis) == WHOLE
    assert write_green(analysis, compact=True) == COMPACT
    assert read_answer(COMPACT) == read_answer(WHOLE)


@pytest.mark.parametrize(("reference", "candidate"), PAIRS)
def test_green_reads_its_counts_and_entries_back(reference, candidate):
    analysis = green_embedded.analyse(parse(reference), parse(candidate))
    read = read_answer(write_green(analysis))
    for name in ("significant", "insignificant"):
        assert [c.count for c in getattr(read, name)] == [c.count for c in getattr(analysis, name)]
        assert [len(c.entries) for c in getattr(read, name)] == [len(c.entries) for c in getattr(analysis, name)]
    assert read.matched.count == analysis.matched.count


@pytest.mark.parametrize(("reference", "candidate"), PAIRS)
def test_crimson_reads_its_evaluation_back_without_what_only_we_know(reference, candidate):
    analysis = crimson_embedded.analyse(parse(reference), parse(candidate), None)
    read = crimson_answer.read_answer(write_crimson(analysis))
    # the answer has no graded weights, so its score is that of the paper's weights
    assert read.score == crimson(analysis.evaluation)
    assert read.score.counts == analysis.score.counts
    for finding in read.evaluation["reference_findings"]:
        assert set(finding) == {"id", "finding", "clinical_significance"}


@pytest.mark.parametrize(("reference", "candidate"), PAIRS)
def test_fineradscore_reads_its_corrections_back(reference, candidate):
    analysis = correct(parse(reference), parse(candidate))
    assert fineradscore_answer.read_answer(write_fineradscore(analysis), split_lines(candidate)) == analysis
