"""The views: their numbers agree with the score, and report text is escaped."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from rapidfuzz.distance import LCSseq

from radeval_core import load
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.examples import EXAMPLES
from radeval_core.ui.score_header import headline
from radeval_core.ui.views import bleu, cider, draw, stylesheet
from radeval_core.ui.views.marks import Mark, highlight
from radeval_core.ui.views.rouge import _WORD, common_marks
from radeval_core.ui.views.words import find_words, longest_shared, ngram_counts, place_tokens

NAMES = metric_names()
HOSTILE = (
    '<script>alert("1")</script> No pneumothorax. <img src=x onerror=alert(1)> Small left pleural effusion. '
    "${alert(2)} {{constructor}} `x` </p></div> & 'quoted'."
)
TAGS = {"div", "p", "span", "mark", "b", "i", "h4", "ul", "li", "small", "del", "ins"}
TAGS |= {
    "q",
    "details",
    "summary",
    "ol",
    "a",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "svg",
    "rect",
    "line",
    "path",
    "text",
    "title",
}


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global demo_options
    from radeval_core.ui.pair import demo_options


class Page(HTMLParser):
    """The tags, attributes and text of an HTML fragment."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = set(), set(), "", []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        # a sheet links only to its own marks
        self.attributes |= {name for name, value in attributes if name != "href" or not value.startswith("#s-")}
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def seen():
    """Return a function that computes (result, view) of a pair."""

    def see(name, reference, candidate):
        options = demo_options(get_spec(name))
        result = load(name, progress=False, **options).compute([candidate], [reference], detailed=True)
        return result, draw(name, result["details"][0], reference, candidate, {**options, "sheet": "s"})

    return see


def flat(text):
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_a_view_of_every_example(name, seen):
    for example in EXAMPLES:
        _, html = seen(name, example.reference, example.candidate)
        page = Page(html)
        assert not page.open and len(page.text) > 40, example.label
        assert page.tags <= TAGS, page.tags - TAGS


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_is_shown_as_text(name, seen):
    for reference, candidate in ((HOSTILE, "Clear lungs."), ("Clear lungs.", HOSTILE), (HOSTILE, HOSTILE)):
        _, html = seen(name, reference, candidate)
        page = Page(html)
        assert page.tags <= TAGS and not page.open
        assert not any(attribute.startswith("on") or attribute in ("src", "href") for attribute in page.attributes)
        assert not re.search(r"[${}`]", html), "a page template could read it as code"


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in ("chexbert_f1", "radcliq", "radgraph_f1", "ffl_rq", "bertscore")]
)
def test_the_view_contains_the_reports_unchanged(name, seen):
    _, html = seen(name, HOSTILE, "Clear lungs.")
    bare = re.sub(r'<b class="badge[^>]*>.*?</b>|<span class=("rs-rail"|rs-rail)></span>', "", html)
    assert "".join(HOSTILE.split()) in "".join(Page(bare).text.split())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("", "Clear lungs."),
        ("Clear lungs.", " \n"),
        ("...", "!!!"),
        ("l'épanchement İ ß \u202eabc\u202c 🫁 心脏扩大", "🫁 épanchement pleural. 心脏"),
        ("A\n\nB  C\t8.5 mm.", "a b c 8.5 mm"),
    ],
)
def test_odd_reports_have_a_view(name, reference, candidate, seen):
    assert not Page(seen(name, reference, candidate)[1]).open


@pytest.mark.parametrize("name", NAMES)
def test_a_long_report_has_a_view(name, seen):
    sentence = "Small left pleural effusion with atelectasis {}. The heart is mildly enlarged. "
    reference = "".join(sentence.format(i) for i in range(120))
    assert not Page(seen(name, reference, reference.replace("left", "right"))[1]).open


def test_marks_by_hand():
    marked = highlight("No left effusion.", [Mark(3, 7, "error", "✗ c", "side"), Mark(3, 16, "match", "✓")])
    assert marked == (
        'No <mark class="error" title="side">left</mark><b class="badge error">✗ c</b>'
        '<mark class="match"> effusion</mark><b class="badge match">✓</b>.'
    )
    assert (
        highlight("a", [Mark(0, 9, "match"), Mark(5, 9, "error"), Mark(1, 1, "error")])
        == '<mark class="match">a</mark>'
    )


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(-2, 45), st.integers(-2, 45)), max_size=6))
def test_marks_do_not_change_the_report_text(report, spans):
    page = Page(highlight(report, [Mark(a, b, "match") for a, b in spans]))
    assert page.text.replace("\r\n", "\n") == report.replace("\r\n", "\n") and not page.open


def test_shared_ngrams_by_hand():
    words = find_words(re.compile(r"\w+"), "no left effusion no")
    others = find_words(re.compile(r"\w+"), "small left effusion no")
    # the other report has "no" once, so only the first "no" matches alone; "left effusion no" is a shared trigram
    assert longest_shared(words, others) == [1, 3, 3, 3]


def test_tokens_get_their_positions():
    report = "Size 8.5 mm, &amp; stable."
    places = place_tokens(["Size", "8.5", "mm", ",", "&", "stable", "."], report)
    assert [report[w.start : w.end] for w in places] == ["Size", "8.5", "mm", ",", "&", "stable", "."]


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.label for e in EXAMPLES])
def test_the_views_of_words_count_what_the_scores_count(example, seen):
    reference, candidate = example.reference, example.candidate
    result, html = seen("bleu", reference, candidate)
    detail = result["details"][0]
    theirs, ours = bleu.words(reference), bleu.words(candidate)
    shared = [sum((ngram_counts(ours, n) & ngram_counts(theirs, n)).values()) for n in (1, 2, 3, 4)]
    assert shared == detail["matched_ngrams"] and max(longest_shared(ours, theirs)) == sum(n > 0 for n in shared)
    assert f"{detail['matched_ngrams'][1]} of {detail['possible_ngrams'][1]}" in html

    theirs, ours = find_words(_WORD, reference), find_words(_WORD, candidate)
    marked = common_marks(theirs, ours)
    for words, marks in ((theirs, marked[0]), (ours, marked[1])):
        inside = [w for w in words if any(m.start <= w.start and w.end <= m.end for m in marks)]
        assert len(inside) == LCSseq.similarity([w.token for w in theirs], [w.token for w in ours])

    corpus = demo_options(get_spec("cider"))["corpus"]
    shares = cider.contributions(reference, candidate, cider.counted(corpus))
    assert sum(shares.values()) == pytest.approx(seen("cider", reference, candidate)[0]["cider"])


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.label for e in EXAMPLES])
def test_the_views_of_findings_count_what_the_scores_count(example, seen):
    reference, candidate = example.reference, example.candidate
    result, html = seen("chexbert_f1", reference, candidate)
    hits, wrong = html.count("✓ hit"), html.count("✗ missed") + html.count("✗ false alarm")
    assert 2 * hits / max(1, 2 * hits + wrong) == pytest.approx(result["chexbert_f1"])

    result, html = seen("radcliq", reference, candidate)
    assert f"<b>{result['radcliq']:+.3f}</b>" in html

    result, html = seen("green", reference, candidate)
    errors = sum(v for k, v in result.items() if k.startswith("significant_"))
    assert f"✗ {int(errors) or 'no'} significant error" in html and f"✓ {int(result['matched'])} matched" in html
    assert f"(green.weighted): <b>{result['weighted']:.3f}</b>" in html

    result, html = seen("fineradscore", reference, candidate)
    assert len(re.findall(r'<tr class="s\d">', html)) == result["corrections"]
    assert flat(result["details"][0]["corrected"]) in flat(Page(html).text)

    result, html = seen("ratescore", reference, candidate)
    assert all(f"{row['similarity']:.2f}" in html for row in result["details"][0]["prediction"])

    # F1 compares sets: an entity that occurs twice counts once
    result, html = seen("radgraph_f1", reference, candidate)
    assert f"<b>{result['radgraph_f1']:.3f}</b>" in html
    node = re.compile(r'class="entity (\w+ \w+)"[^>]*>. ([^<]+)</mark>')
    cells = [re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", html, re.DOTALL) for tag in ("th", "td")]
    one, other = ({n for cell in column for n in node.findall(cell.lower())} for column in cells)
    shared = [{n for n in graph if n[0].startswith("shared")} for graph in (one, other)]
    assert shared[0] == shared[1]


@pytest.mark.e2e
def test_words_of_several_tokens_are_shown_whole(seen):
    _, html = seen("bertscore", "Left pneumothorax.", "Right pneumothorax.")
    assert ">pneumothorax<small>" in html and "##" not in html and "[CLS]" not in html
    assert re.search(r">right<small>0\.\d\d left</small>", html), "the best match of another word is named"


def test_only_disagreements_are_drawn_numbered_and_the_atlas_is_named():
    reference, candidate = "Left pleural effusion. Cardiomegaly.", "Right pleural effusion. Cardiomegaly."
    detail = load("ffl_rq", progress=False).compute([candidate], [reference], detailed=True)["details"][0]
    html = draw("ffl_rq", detail, reference, candidate)
    shown, folded = html.split("<details>")
    assert shown.count("<svg") == 1 and "standard atlas: not this patient" in shown and "cardiomegaly" not in shown
    assert re.findall(r"<text[^>]*>([^<]+)</text>", shown) == ["1", "2"], "the boxes have only numbers"
    assert "left lung" in shown and "right lung" in shown and "cardiomegaly" in folded
    assert "at the same place" in draw("ffl_rq", _detail("ffl_rq", reference, reference), reference, reference)


def test_boxes_are_drawn_on_a_film():
    example = EXAMPLES[1]
    detail = _detail("ffl_rq", example.reference, example.candidate)
    plain = draw("ffl_rq", detail, example.reference, example.candidate)
    on_film = draw("ffl_rq", detail, example.reference, example.candidate, {"film": Image.new("L", (60, 80))})
    assert "<image" not in plain and '<image width="1000" height="1333"' in on_film and "your film" in on_film


def _detail(name, reference, candidate):
    return load(name, progress=False).compute([candidate], [reference], detailed=True)["details"][0]


def test_green_can_be_recomputed_and_a_wrong_side_is_no_plain_match():
    reference, candidate = "Small left effusion. Cardiomegaly.", "Small right effusion. Cardiomegaly."
    html = draw("green", _detail("green", reference, candidate), reference, candidate)
    assert "2 / (2 + 1) = <b>0.667</b>" in html
    assert "△ mild left pleural effusion, but right for left" in html and "✓ cardiomegaly" in html
    # by hand: matched weights 1 (effusion) and 0.3 (cardiomegaly is minor), or what the page writes, plus 0.5
    right, wrong = re.search(r"right = [^=]*= (.*?)</div>.*?wrong = [^=]*= (.*?)</div>", html, re.DOTALL).groups()
    right, wrong = (float(part.split("= ")[-1]) for part in (right, wrong))
    weighted = float(re.search(r"\(green.weighted\): <b>([\d.]+)", html)[1])
    assert right / (right + wrong) / (1 + 1 / 8) == pytest.approx(weighted, abs=2e-3)


def test_ratescore_says_why_equal_words_are_not_equal():
    reference, candidate = "Severe left pleural effusion.", "Mild right pleural effusion."
    html = draw("ratescore", _detail("ratescore", reference, candidate), reference, candidate)
    assert "left and right: × 0.8" in html and "severe and mild: × 0.9" in html and "0.72" in html


def test_cider_shows_the_length_penalty_and_what_is_missing():
    reference, candidate = "Small left pleural effusion and a nodule.", "Small left effusion."
    corpus = ["Clear lungs.", "No effusion.", reference]
    detail = load("cider", progress=False, corpus=corpus).compute([candidate], [reference], detailed=True)["details"][0]
    html = draw("cider", detail, reference, candidate, {"corpus": corpus})
    # 3 words for 7: exp(-16 / 72) = 0.801
    assert (
        "exp(−(-4)² / (2 · 6²)) = <b>0.801</b>: 4 words too few" in html and "nodule" in html.split("Missing words")[1]
    )


def test_chexbert_shows_the_words_behind_each_label():
    reference, candidate = "Enlarged heart. Small left effusion.", "Cardiomegaly. No effusion."
    html = draw("chexbert_f1", _detail("chexbert_f1", reference, candidate), reference, candidate)
    assert '<q class="behind">Enlarged heart</q>' in html and '<q class="behind">Cardiomegaly</q>' in html
    assert "Not mentioned in either report: " in html and "Fracture" in html.split("Not mentioned")[1]


def test_fineradscore_counts_lines_from_1_under_its_legend():
    reference, candidate = "Small left effusion. Clear lungs.", "Small right effusion. Clear lungs."
    html = draw("fineradscore", _detail("fineradscore", reference, candidate), reference, candidate)
    assert '<td class="n">1</td>' in html and '<td class="n">0</td>' not in html
    assert html.index('class="legend"') < html.index("<table>") and "sum of the severities = 3 = <b>3</b>" in html


def test_radgraph_shows_differences_first_and_folds_what_agrees():
    reference, candidate = "Small left pleural effusion. Cardiomegaly.", "Small right pleural effusion. Cardiomegaly."
    html = draw("radgraph_f1", _detail("radgraph_f1", reference, candidate), reference, candidate)
    shown, folded = html.split("<details>")
    assert "✗ left" in shown and "✗ right" in shown and "Cardiomegaly" not in shown and "✓ Cardiomegaly" in folded


def test_a_judge_that_gave_no_answer_says_why():
    assert "the server &lt;b&gt;" in draw("green", {"reason": "the server <b>"}, "a", "b")
    empty = {"lines": ["b"], "corrections": None, "corrected": None, "reason": "no JSON"}
    assert "Not analysed: no JSON" in draw("fineradscore", empty, "a", "b")


def test_a_metric_without_a_view_shows_none():
    assert draw("no_such_metric", {}, "a", "b") == ""


def test_every_class_has_a_style():
    for name in ("error", "minor", "match", "ngram4", "sim1", "no-disease", "label-uncertain", "linked", "worse", "s4"):
        assert f".{name}" in stylesheet()


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0.12345, ('value="0.12345"', ">0.123<")), (None, ('value=""', ">not scored<")), (1.0, ("left:100.0%",))],
)
def test_the_headline_carries_every_digit(score, shown):
    html = headline(get_spec("bleu"), score)
    assert all(part in html for part in shown) and "higher is better" in html


def test_a_metric_without_bounds_has_no_scale():
    assert "scale" not in headline(get_spec("fineradscore"), 3.0)


@pytest.mark.parametrize("weights, total", [(None, "+1.000"), ("v0", "+0.500"), ("fitted.json", "-2.000")])
def test_the_contributions_of_radcliq_are_those_of_the_weights_that_were_used(weights, total):
    versions = {"v0": 0.5, "v1": 1.0, "fitted-1a2b3c4d": -2.0}
    detail = {"parts": {"bleu": 0.25}, "contributions": {name: {"bleu": value} for name, value in versions.items()}}
    assert f"<b>{total}</b>" in draw("radcliq", detail, "", "", {"weights": weights})


def test_the_weighted_score_of_green_can_be_recomputed():
    reference, candidate = EXAMPLES[2].reference, EXAMPLES[2].candidate
    html = draw("green", _detail("green", reference, candidate), reference, candidate)
    # weights: 3 for the pneumothorax that matches, 0.5 to start with, 3 for its wrong side
    assert "3.5 / (3.5 + 3) / (1 + 1 / 8) = <b>0.479</b>" in html
    empty = draw("green", _detail("green", reference, ""), reference, "")
    assert "one report is empty: green.weighted = <b>0.000</b>" in empty


def test_temporal_f1_says_where_its_number_comes_from():
    changed, still = "New effusion. Stable nodule.", "New effusion. Nodule."
    assert "2 · 1 / (2 + 1) = <b>0.667</b>" in draw(
        "temporal_f1", _detail("temporal_f1", changed, still), changed, still
    )
    assert "Neither report has a change word" in draw("temporal_f1", _detail("temporal_f1", "a", "b"), "a", "b")


def test_ct_f1_lists_only_labels_that_a_report_states():
    stated, denied = "Small left pleural effusion.", "No pleural effusion."
    html = draw("ct_f1", _detail("ct_f1", stated, denied), stated, denied)
    assert html.count("<tr>") == 2 and "Not stated in either report: Medical material," in html
    assert "Neither report states one of the 18 labels" in draw(
        "ct_f1", _detail("ct_f1", denied, denied), denied, denied
    )


def test_ratescore_shows_differences_first_and_folds_equal_matches():
    same = "Cardiomegaly. Pneumothorax. Atelectasis. Emphysema. Pneumonia. Hiatal hernia. Scoliosis. Pulmonary edema. "
    reference, candidate = same + "Left pleural effusion.", same + "Right pleural effusion."
    html = draw("ratescore", _detail("ratescore", reference, candidate), reference, candidate)
    shown, _, folded = html.partition("entities with an equal match")
    assert "× 0.8" in shown and "× 0.8" not in folded.partition("</details>")[0]
