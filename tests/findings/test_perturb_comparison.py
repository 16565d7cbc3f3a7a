"""Comparisons that are added to a report or left out of it."""

import pytest

from radeval_core.errors import InputError
from radeval_core.findings.parser import parse
from radeval_core.findings.perturb import COMPARISONS, KINDS, perturb_comparison


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Small left pleural effusion, unchanged from prior.", "Small left pleural effusion."),
        ("Left pleural effusion is unchanged.", "Left pleural effusion is seen."),
        ("Mild edema has increased since yesterday.", "Mild edema is seen."),
        ("Stable cardiomegaly.", "Cardiomegaly."),
        ("Nodule in the lung, which has grown since the prior study.", "Nodule in the lung."),
        ("New opacity in the right lower lobe since the prior study.", None),  # a comparison would be left
        ("Small left pleural effusion.", None),
    ],
)
def test_a_comparison_is_left_out(before, after):
    changed = perturb_comparison(before, "dropped_comparison")
    assert (changed and changed.text) == after


def test_a_comparison_is_added_before_the_whole_phrase():
    texts = {perturb_comparison("A small left effusion.", "added_comparison", seed).text for seed in range(20)}
    assert texts == {
        "A new small left effusion.",
        "An unchanged small left effusion.",
        "A worsening small left effusion.",
    }
    assert perturb_comparison("Unchanged small left effusion.", "added_comparison") is None
    assert perturb_comparison("No effusion.", "added_comparison") is None


def test_nothing_but_the_change_differs():
    text = "Mild edema. Small right effusion, increased. No pneumothorax."
    for kind in COMPARISONS:
        found = parse(perturb_comparison(text, kind).text).stated
        same = [(f.finding, f.polarity, f.laterality, f.severity) for f in parse(text).stated]
        assert [(f.finding, f.polarity, f.laterality, f.severity) for f in found] == same


def test_comparisons_are_no_kinds_of_the_sensitivity_table():
    assert not set(COMPARISONS) & set(KINDS)
    with pytest.raises(InputError, match="unknown kind of perturbation 'side'"):
        perturb_comparison("Left effusion.", "side")
