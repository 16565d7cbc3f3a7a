"""The view of `radfact`: phrases with verdict and evidence, escaped."""

from radeval_core import load
from radeval_core.ui.views import draw

BOX = [[0.5, 0.5, 0.9, 0.9]]


def seen(prediction, reference, **options):
    detail = load("radfact", **options).compute([prediction], [reference], True)["details"][0]
    return draw("radfact", detail, reference, prediction)


def test_phrases_have_a_verdict_and_evidence():
    html = seen("Left effusion. No pneumothorax.", "Small left effusion.")
    assert "Candidate: 1 of 2 phrases entailed (precision)" in html
    assert "Reference: 0 of 1 phrase entailed (recall)" in html
    assert "✓ entailed" in html and "✗ not entailed</b>: differs in severity" in html
    assert "<li>mild left pleural effusion</li>" in html
    assert '<mark class="match" title="left pleural effusion">' in html and '<mark class="error"' in html
    assert "in place" not in html


def test_boxes_are_a_column():
    given = {side: [{"phrase": "Left effusion.", "boxes": BOX}] for side in ("prediction", "reference")}
    assert seen("Left effusion.", "Left effusion.", boxes=[given]).count("✓ in place") == 2


def test_what_a_model_wrote_is_escaped():
    phrase = {"phrase": "<script>x</script>", "entailed": False, "evidence": [0], "why": "<b>", "spans": [[0, 3]]}
    phrase |= {"boxes": None, "in_place": None}
    html = draw("radfact", {"prediction": [phrase], "reference": [phrase], "reason": ""}, "abc", "abc")
    assert "<script>" not in html and "&lt;script&gt;" in html and "&lt;b&gt;" in html


def test_a_pair_without_an_analysis_names_the_reason():
    assert "Not analysed: the answer &lt;x&gt;" in draw("radfact", {"reason": "the answer <x>"}, "a", "b")
