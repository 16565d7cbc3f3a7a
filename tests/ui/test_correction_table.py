"""The corrections of a report line by line: what changes is marked, and rows have the colour of their severity."""

from radeval_core import load
from radeval_core.ui.views import draw
from radeval_core.ui.views.correction_table import correction_table


def drawn(candidate, reference):
    detail = load("fineradscore").compute([candidate], [reference], detailed=True)["details"][0]
    return draw("fineradscore", detail, reference, candidate)


def test_words_that_change_are_marked_and_rows_coloured_by_severity():
    html = drawn("Small right pleural effusion. Clear lungs.", "Small left pleural effusion. Nodule in the left lung.")
    assert "Small <del>right</del> <ins>left</ins> pleural effusion." in html
    assert '<tr class="s3">' in html and '<tr class="s2">' in html and "Urgent error" in html


def test_a_report_without_errors():
    assert "Nothing to correct" in drawn("Clear lungs.", "Lungs are clear.")


def test_the_right_lines_of_a_long_report_are_folded():
    wrong = {"line": 3, "severity": 2, "category": [], "rating": "", "comment": "", "before": "b", "after": "a"}
    detail = {"lines": [f"line {i}" for i in range(40)], "corrections": [wrong]}
    shown, _, folded = correction_table(detail).partition("<details>")
    assert shown.count("<tr") == 2 and "39 lines without a correction" in folded and "line 39" in folded
