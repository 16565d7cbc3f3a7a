"""CRIMSON's view and page: the numbers in it give the score, and the context shows what it changed."""

import re

import pytest

from radeval_core import load
from radeval_core.ui.views import draw

REFERENCE = "Free air under the diaphragm. Moderate left pleural effusion. Nodule of 8 mm in the right upper lobe."
CANDIDATE = (
    "Small right pleural effusion. Nodule of 8 mm in the right upper lobe. Consolidation in the left lower lobe."
)


def seen(reference=REFERENCE, candidate=CANDIDATE, context=None):
    result = load("crimson").compute([candidate], [reference], detailed=True, contexts=[context])
    return result, draw("crimson", result["details"][0], reference, candidate)


def by_hand(html):
    """Return the three sums and the score as the page writes them."""
    lines = re.findall(r"<div>([^<]*)<b>([^<]*)</b></div>", html.partition("The score by hand")[2])
    return [float(number) for _, number in lines]


@pytest.mark.parametrize(
    "reference, candidate",
    [(REFERENCE, CANDIDATE), (CANDIDATE, REFERENCE), ("Clear lungs.", CANDIDATE), (REFERENCE, "Clear lungs.")],
)
def test_a_reader_can_recompute_the_score(reference, candidate):
    result, html = seen(reference, candidate)
    total, credit, false, *_, score = by_hand(html)
    x = false - credit
    expected = -x / (1 + x) if x > 0 else (credit - false) / total
    assert score == pytest.approx(expected, abs=2e-3) == pytest.approx(result["crimson"], abs=2e-3)


def test_the_parts_of_a_sum_are_written_out():
    _, html = seen()
    assert "total weight of the reference findings = 1 + 0.5 + 0.5 = <b>2</b>" in html


def test_what_the_context_changed_is_listed_with_its_reason():
    _, html = seen(context={"indication": "two days after laparotomy"})
    assert "What the context changed" in html and "urgent → expected" in html
    assert "Air stays under the diaphragm" in html and "free-air-after-laparotomy" in html
    assert "○ R1" in html  # missed, but expected: no error
    assert "What the context changed" not in seen()[1]


def test_findings_of_a_model_are_text():
    detail = {
        "reference_findings": [
            {"id": "<b>", "finding": "<script>", "significance": "<i>", "weight": 0.25, "credit": 0.0},
        ],
        "prediction_findings": [],
        "matches": [],
        "false_findings": [],
        "missing_findings": ["<b>"],
        "attribute_errors": [],
        "sums": {"correct": 0.0, "false": 0.0, "missing": 0.25, "attribute": 0.0, "total": 0.25, "score": 0.0},
    }
    html = draw("crimson", detail, "a", "b")
    assert "<script>" not in html and "&lt;script&gt;" in html and "<i>" not in html


def test_the_page_takes_a_context_and_shows_the_code_with_it():
    from radeval_core.ui.pair import score_pair

    known = {"indication": "two days after laparotomy"}
    plain, found = (score_pair("crimson", REFERENCE, CANDIDATE, context=c) for c in (None, known))
    assert plain.headline != found.headline
    assert f"contexts=[{known!r}]" in found.code and "contexts" not in plain.code


def test_a_wrong_age_is_shown_on_the_page():
    import gradio as gr

    from radeval_core.ui.pair import score_pair

    with pytest.raises(gr.Error, match="is no age"):
        score_pair("crimson", REFERENCE, CANDIDATE, context={"age": "old"})


def test_a_file_of_the_page_may_have_the_columns(tmp_path):
    import json

    from radeval_core.ui.batch import score_file

    path = tmp_path / "pairs.jsonl"
    rows = [
        {"prediction": CANDIDATE, "reference": REFERENCE, "indication": text} for text in ("cough", "after laparotomy")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = score_file("crimson", str(path), None, lambda *_, **__: None)
    assert found.rows[0][1] != found.rows[1][1]
    assert "|context:all|" in found.signature
