"""The page of `radeval score --report`: what it shows, in which order, and that report text is escaped."""

import base64
import html
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest

from radeval_core import cli, score
from radeval_core.error_categories import CATEGORIES
from radeval_core.functional.cider import DocumentFrequencies
from radeval_core.pairs import Pair
from radeval_core.registry import get_spec
from radeval_core.ui.report.content import gather, worst_first
from radeval_core.ui.report.errors import ErrorCount, find_errors
from radeval_core.ui.report.histogram import bins_of, histogram
from radeval_core.ui.report.page import report_page
from radeval_core.ui.report.pair import SHEET

#: metrics that need no encoder
NAMES = ["bleu", "chexbert_f1", "cider", "ffl_rq", "fineradscore", "green", "radgraph_f1", "rouge"]
PAIRS = [
    Pair("Lungs are clear.", ("Clear lungs.",), "same"),
    Pair(
        "Small right pleural effusion. Clear lungs.", ("Small left pleural effusion. Nodule in the left lung.",), "b&c"
    ),
    Pair("", ("Large left pneumothorax.",), 3),
]
HOSTILE = (
    "<script>alert(\"1\")</script> <img src=x onerror='f(2)'> ${f(3)} {{constructor}} `x` </script> <!-- </details> "
    "\u202eright\u202c effusion"
)


class Tags(HTMLParser):
    """The tags, the attributes and the visible text of a page; scripts are read as browsers do."""

    def __init__(self, page):
        super().__init__()
        self.opened, self.attributes, self.text = [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.opened.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def page_of():
    """Return a function that writes the page of some pairs."""

    def write(pairs=PAIRS, names=NAMES, **options):
        scores = score(pairs, names, detailed=True)
        details = [{name: r.details[i] for name, r in scores.results.items()} for i in range(len(pairs))]
        return "".join(report_page(scores, pairs, details, **options))

    return write


@pytest.fixture(scope="module")
def page(page_of):
    return page_of(source="pairs.jsonl")


def views(page, place):
    """Return the stored views of a pair by metric."""
    stored = page.split(f'id="pair-{place}"')[1].split('<script type="text/plain">')[1].split("</script>")[0]
    return json.loads(zlib.decompress(base64.b64decode(stored)))


def ids_in_order(page):
    return re.findall(r'<bdi class="id">(.*?)</bdi>', page)


def test_the_summary_comes_first_and_has_every_metric_with_interval_counts_and_signature(page):
    summary = page.split('<section id="summary">')[1].split("</section>")[0]
    result = score(PAIRS, NAMES)
    for name, row in result.summary().items():
        assert html.escape(row["signature"]) in summary and f"<b>{row['score']:.4f}</b>" in summary
        assert f"{row['ci95'][0]:.4f} to {row['ci95'][1]:.4f}" in summary, name
    assert page.index('id="summary"') < page.index('id="distributions"') < page.index('id="pairs"')
    assert "3 pairs · 8 metrics · 1 empty prediction · radeval_core" in page


def test_the_worst_pair_is_first_in_the_list_and_in_the_index(page):
    assert ids_in_order(page) == ["3", "b&amp;c", "same"]
    assert re.findall(r'<tr data-place="(\d)"', page) == ["2", "1", "0"]


@pytest.mark.parametrize(
    "name, scores, order",
    [("green", [0.5, np.nan, 0.1, 0.5], [2, 0, 3, 1]), ("radcliq", [0.5, np.nan, 2.0], [2, 0, 1])],
)
def test_worst_first_knows_the_direction_and_puts_unscored_pairs_last(name, scores, order):
    class Result:
        spec = get_spec(name)

    Result.scores = np.array(scores)
    assert worst_first(Result) == order


def test_every_pair_has_its_marked_up_report_and_the_view_of_every_metric(page):
    for place, pair in enumerate(PAIRS):
        stored = views(page, place)
        assert set(stored) == {SHEET, *NAMES} and all(stored.values())
        unmarked = (
            r'<ins[^>]*>.*?</ins>|<span class="rs-n">.*?</span>\d+</span>|<span class="rs-(rail|hidden).*?</span>'
        )
        shown = Tags(re.sub(unmarked, "", stored[SHEET])).text
        for report in (pair.reference, pair.prediction):
            assert "".join(report.split()) in "".join(shown.split())


def test_errors_are_named_counted_and_can_be_filtered(page):
    assert '<li class="significant">✗ missing finding</li>' in page and "wrong location" in page
    assert re.search(r'<tr data-place="1" data-errors="[^"]*significant-wrong_location', page)
    assert '<option value="significant-wrong_location">wrong location (1)</option>' in page
    assert 'data-show="missing_finding"' in page


def test_errors_by_finding_and_agreement_have_sections_of_their_own(page):
    for name, title in (("findings", "Errors by finding"), ("agreement", "Agreement between metrics")):
        assert f'<section id="{name}"><h2>{title}</h2>' in page and f'<a href="#{name}">{title}</a>' in page
    findings = page.split('<section id="findings">')[1].split("</section>")[0]
    # the left effusion is on the wrong side; the pneumothorax of the empty report is missing
    assert re.search(r"Pleural effusion</th>.*?<td>0 of 1</td><td>0</td><td>1</td>", findings)
    assert re.search(r"Pneumothorax</th>.*?<td>1 of 1</td><td>0</td><td>0</td>", findings)
    agreement = page.split('<section id="agreement">')[1].split("</section>")[0]
    assert agreement.count('<th scope="row">') == len(NAMES) and agreement.count('class="own"') == len(NAMES)


def test_one_metric_has_no_agreement(page_of):
    assert '<section id="agreement">' not in page_of(names=["rouge"])


def test_errors_of_a_pair_by_hand():
    green = {
        "matched": {},
        "significant": {"false_finding": {"count": 2}},
        "insignificant": {"wrong_severity": {"count": 1}},
    }
    assert find_errors({"green": green}) == [ErrorCount("false_finding", 2, 0), ErrorCount("wrong_severity", 0, 1)]
    corrections = [
        {"category": ["Omission of finding"], "severity": 3},
        {"category": ["Omission of finding", "Incorrect severity of finding"], "severity": 1},
        {"category": [], "severity": 4},
    ]
    found = find_errors({"fineradscore": {"corrections": corrections}})
    assert found == [ErrorCount("missing_finding", 1, 1), ErrorCount("wrong_severity", 0, 1)]
    assert find_errors({"green": {"reason": "no answer"}, "rouge": {}}) == []
    assert [list(e.tokens) for e in found] == [["missing_finding", "significant-missing_finding"], ["wrong_severity"]]
    assert {e.category for e in found} <= set(CATEGORIES)


def test_the_errors_of_crimson_are_those_of_its_findings_and_attributes():
    crimson = {
        "reference_findings": [{"id": "R1", "weight": 1.0}, {"id": "R2", "weight": 0.25}],
        "prediction_findings": [{"id": "P1", "weight": 0.5}],
        "false_findings": ["P1"],
        "missing_findings": ["R1", "R2"],
        "attribute_errors": [{"types": ["location"], "severity": "negligible"}],
    }
    assert find_errors({"crimson": crimson}) == [
        ErrorCount("false_finding", 1, 0),
        ErrorCount("missing_finding", 1, 1),
        ErrorCount("wrong_location", 0, 1),
    ]
    assert find_errors({"crimson": {"reason": "no answer"}}) == []


def test_a_page_without_a_judge_has_no_errors_and_sorts_by_the_first_metric(page_of):
    page = page_of(names=["rouge", "bleu"])
    assert 'id="errors"' not in page and 'name="error"' not in page and "What goes wrong" not in page
    assert page.count('aria-sort="') == 1 and 'data-key="rouge" data-better="higher" aria-sort="ascending"' in page


def test_a_long_file_shows_the_worst_pairs_and_says_how_many_are_left_out(page_of):
    page = page_of(most=2)
    assert ids_in_order(page) == ["3", "b&amp;c"]
    assert "The page shows the 2 worst pairs by green and leaves out 1. The summary covers all pairs." in page
    assert "<td>3</td>" in page.split('id="summary"')[1].split("</section>")[0]


def test_an_unscored_pair_says_why(page_of):
    scores = score(PAIRS[:2], ["green"], detailed=True)
    scores.results["green"].values["green"][0] = np.nan
    details = [{"green": {"reason": "no <JSON>"}}, {"green": scores.results["green"].details[1]}]
    page = "".join(report_page(scores, PAIRS[:2], details))
    assert "Not scored: no &lt;JSON&gt;" in views(page, 0)["green"] and "Lungs are clear" in views(page, 0)[SHEET]
    assert '<td class="unscored">–</td>' in page and ids_in_order(page) == ["b&amp;c", "same"]


def test_coverage_is_shown_where_details_have_it(monkeypatch):
    scores = score(PAIRS[:1], ["green", "rouge"], detailed=True)
    summary = scores.summary()
    summary["green"]["coverage"] = {"mean": 0.75, "low": 0, "low_below": 0.7}
    monkeypatch.setattr(scores, "summary", lambda: summary)
    details = [{name: result.details[0] for name, result in scores.results.items()}]
    details[0]["green"]["coverage"] = {"prediction": {"share": 0.625}, "reference": {"share": 0.9}}
    page = "".join(report_page(scores, PAIRS[:1], details))
    assert "<td>75%</td>" in page.split('id="summary"')[1].split("</section>")[0]
    assert '<th scope="col">coverage</th>' in page and "<td>62%</td>" in page
    assert "understood 90% of the content words of the reference and 62% of the" in views(page, 0)["green"]
    assert "understood" not in views(page, 0)["rouge"]


def test_several_references_are_shown(page_of):
    page = page_of([Pair("Clear lungs.", ("No effusion.", "Clear <lungs>."), 1)], ["rouge", "bleu"])
    assert "Further references" in views(page, 0)["bleu"] and "Clear &lt;lungs&gt;." in views(page, 0)["bleu"]


def test_hostile_text_is_inert(page_of):
    page = page_of(
        [Pair(HOSTILE, ("Left effusion.",), HOSTILE), Pair("Left effusion.", (HOSTILE,), "b")], source=HOSTILE
    )
    outside = re.sub(r"<style>.*?</style>|<script>\"use strict\".*?</script>", "", page, flags=re.DOTALL)
    assert "{{constructor}}" in html.unescape(outside), "the text is on the page"
    assert not re.search(r"<img|[${}`]|<!--", outside)
    tags = Tags(page)
    assert tags.opened.count("script") == 1 + 2, "our script, and what is stored of each pair"
    assert tags.opened.count("details") == 2 + 2, "signatures, further numbers, two pairs"
    assert not [name for name, _ in tags.attributes if name.startswith("on") or name == "src"]
    for place in range(2):
        for view in views(page, place).values():
            assert not {"script", "img", "iframe"} & set(Tags(view).opened)


def test_the_page_forbids_requests_and_foreign_scripts(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page).group(1)
    assert (
        policy.startswith("default-src 'none';") and "unsafe-inline'; img" in policy and "script-src 'sha256-" in policy
    )
    bare = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"url\(|@import|\bsrc=|javascript:|href=\"(?!#)", bare)
    assert set(re.findall(r"https?://[^\s\"<]*", bare)) <= {"http://www.w3.org/2000/svg"}


def test_bars_of_a_histogram_by_hand():
    assert bins_of(np.array([0.0, 3.0, 3.0]), get_spec("fineradscore")) == (
        [1, 0, 0, 2],
        [-0.5, 0.5, 1.5, 2.5, 3.5],
        True,
    )
    counts, edges, whole = bins_of(np.array([0.0, 0.04, 1.0]), get_spec("green"))
    assert (counts[0], counts[-1], sum(counts), edges[0], edges[-1], whole) == (2, 1, 3, 0.0, 1.0, False)
    assert bins_of(np.array([1.5]), get_spec("radcliq")).edges[0] == 1.0


def test_a_histogram_says_where_the_best_end_is():
    drawn = histogram(np.array([1.0, 2.0, np.nan]), get_spec("fineradscore"))
    assert (
        "<span>1 best</span><span>2 worst</span>" in drawn
        and "median 1.5" in drawn
        and "<title>1: 1 pair</title>" in drawn
    )
    assert "No pair was scored" in histogram(np.array([np.nan]), get_spec("green"))


def test_the_view_of_cider_counts_words_in_all_references():
    scores = score(PAIRS, ["cider"], detailed=True)
    details = [{"cider": d} for d in scores.results["cider"].details]
    frequencies = gather(scores, PAIRS, details, "", {}, 1).options["cider"]["frequencies"]
    assert isinstance(frequencies, DocumentFrequencies) and frequencies.documents == 3
    assert frequencies.counts["left",] == 2


@pytest.fixture
def pair_file(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [{"id": p.id, "prediction": p.prediction, "reference": p.reference} for p in PAIRS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_command_writes_it(pair_file, tmp_path, capsys, page):
    out, details = tmp_path / "report.html", tmp_path / "d.jsonl"
    assert (
        cli.main(["score", pair_file, "--metrics", ",".join(NAMES), "--report", str(out), "--details", str(details)])
        == 0
    )
    assert f"report on 3 pairs written to {out}" in capsys.readouterr().out
    assert out.read_text("utf-8") == page and len(details.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--report", "out.txt"], "out.txt: the name must end in .html"),
        (["--report", "no/out.html"], "does not exist"),
        (["--report", "out.html", "--report-pairs", "0"], "--report-pairs must be at least 1, got 0"),
        (["--report-pairs", "5"], "--report-pairs is for the page: add --report FILE.html"),
    ],
)
def test_the_command_says_what_is_wrong(pair_file, tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["score", pair_file, "--metrics", "rouge", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_sheets_of_a_run_use_its_lexicon(tmp_path):
    lexicon = tmp_path / "zebra.yaml"
    lexicon.write_text(
        "zebra_sign: {kind: abnormality, significance: urgent, regions: [pleura], forms: [zebra sign]}\n"
    )
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"prediction": "No zebra sign.", "reference": "Zebra sign."}))
    out = tmp_path / "page.html"
    arguments = ["score", str(pairs), "--metrics", "green", "--quiet", "--report", str(out)]
    assert cli.main([*arguments, "--lexicon", str(lexicon)]) == 0
    sheet = views(out.read_text("utf-8"), 0)[SHEET]
    assert "zebra sign: denied" in Tags(sheet).text and "urgent" in Tags(sheet).text
