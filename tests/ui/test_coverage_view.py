"""What the pages show of coverage: the reason instead of a number, and the sentences that were not understood."""

import math
import re

import pytest

from radeval_core.ui.coverage_view import draw_coverage
from radeval_core.ui.views import stylesheet

CLEAR = "The lungs are clear."
PARTLY = "The lungs are clear. Severe <b>glorbitis</b> of the flumen."


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global score_pair, workbench, visits
    from radeval_core.ui.pair import score_pair
    from radeval_core.ui.workbench import page as workbench
    from radeval_core.ui.workbench import visits


def coverage(unread=(), share=1.0):
    side = {"share": 1.0, "language": "", "unread": []}
    return {"reference": side, "prediction": {**side, "share": share, "unread": list(unread)}}


def test_nothing_is_drawn_if_everything_was_understood():
    assert draw_coverage(coverage(), "", CLEAR, CLEAR) == ""


def test_sentences_that_were_not_understood_are_marked_as_text():
    drawn = draw_coverage(coverage([[21, len(PARTLY)]], 0.4), "", CLEAR, PARTLY)
    (marked,) = re.findall(r'<mark class="unread" title="not understood">(.*?)</mark>', drawn)
    assert marked == "Severe &lt;b&gt;glorbitis&lt;/b&gt; of the flumen."
    assert "100% of the content words of the reference, 40% of the candidate&#x27;s" in drawn
    assert "mark.unread" in stylesheet()


@pytest.mark.parametrize(
    "name", ["green", "fineradscore", "ffl_rq", "chexbert_f1", "radgraph_f1", "ratescore", "radcliq", "radfact"]
)
def test_a_page_shows_the_reason_instead_of_a_number(name):
    found = score_pair(name, "Großer Pneumothorax rechts.", "Kein Pneumothorax.")
    assert found.headline is None and found.coverage == 0.0
    assert "the prediction reads like German and the reference reads like German" in found.view
    assert found.view.count("</mark>") == 3, "both sentences, and the legend"
    assert "No difference" not in found.view and f"rv-{name}" not in found.view


def test_a_partly_read_pair_shows_its_score_and_its_coverage():
    found = score_pair("green", CLEAR, PARTLY)
    assert found.headline is not None and 0 < found.coverage < 1
    assert found.view.startswith('<div class="rv rv-green">') and 'class="unread"' in found.view


def test_a_metric_without_the_parser_has_no_coverage():
    found = score_pair("rouge", CLEAR, "xqz flurb")
    assert found.coverage is None and "rv-coverage" not in found.view


def test_the_workbench_explains_what_it_cannot_read():
    shown = workbench.explain_pair(CLEAR, "xqz flurb wibble")
    assert "the prediction has no sentence that the parser understands" in shown and "no difference" not in shown


def test_the_workbench_marks_what_it_did_not_understand(monkeypatch):
    from radeval_core.ui.workbench.metric_readings import MetricReading

    unscored = [MetricReading("bleu", 0.5, 0.5, "s"), MetricReading("green", math.nan, math.nan, "s")]
    monkeypatch.setattr(visits, "read_pairs", lambda pairs, contexts: [unscored for _ in pairs])
    fields = [[CLEAR], ["xqz flurb wibble"], [""], [""], [""], [""], [""]]
    _, (sheets,), (chips,), _ = visits.show_visits(*fields)
    assert "not scored" in chips and "Nothing could be compared here: the prediction has no sentence" in sheets
    fields[1] = [CLEAR]
    assert "Nothing could be compared" not in visits.show_visits(*fields)[1][0]
