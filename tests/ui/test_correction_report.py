"""The page of corrections: what it shows, and that report text is escaped."""

import json
import re
from html.parser import HTMLParser

import pytest

from radeval_core import cli, score
from radeval_core.errors import InputError
from radeval_core.pairs import Pair
from radeval_core.ui.correction_report import correction_report, metric_with_report

PAIRS = [
    Pair("Small right pleural effusion. Clear lungs.", ("Small left pleural effusion. Nodule in the left lung.",), "a"),
    Pair("Clear lungs.", ("Lungs are clear.",), "b & <c>"),
    Pair('<script>alert("1")</script> Pneumonia.', ("<img src=x onerror=alert(1)> Normal heart.",), 3),
]


def page(pairs=PAIRS):
    return correction_report(score(pairs, ["fineradscore"], detailed=True).results["fineradscore"], pairs)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.opened, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        self.opened.append(tag)

    def handle_data(self, data):
        self.text += data


def parsed(html):
    tags = Tags()
    tags.feed(html)
    return tags


def test_it_shows_each_report_line_by_line():
    text = parsed(page()).text
    assert "score 5, 2 corrections" in text and "score 0, no corrections" in text and "b & <c>" in text
    assert "fineradscore|config:embedded|" in text and "mean 2.6667" in text


def test_words_that_change_are_marked_and_rows_coloured_by_severity():
    html = page()
    assert "Small <del>right</del> <ins>left</ins> pleural effusion." in html
    assert '<tr class="s3">' in html and '<tr class="s2">' in html and "Urgent error" in html


def test_report_text_is_escaped_and_the_page_loads_and_runs_nothing():
    html = page()
    tags = parsed(html)
    assert not {"script", "img", "link", "iframe", "object", "a"} & set(tags.opened)
    assert '<script>alert("1")</script>' in tags.text and "<img src=x onerror=alert(1)>" in tags.text
    assert not re.search(r"url\(|@import|https?:|\bsrc=|javascript:", re.sub(r"&lt;.*?&gt;", "", html))


def test_an_unscored_report_says_why():
    result = score(PAIRS[:1], ["fineradscore"], detailed=True).results["fineradscore"]
    result.details[0].update(corrections=None, corrected=None, reason="no <JSON>")
    assert "unscored: no &lt;JSON&gt;" in correction_report(result, PAIRS[:1])


def test_it_needs_details():
    with pytest.raises(InputError, match="needs the details of each pair"):
        correction_report(score(PAIRS[:1], ["fineradscore"]).results["fineradscore"], PAIRS[:1])


def test_metrics_without_a_report_are_named():
    assert metric_with_report(["bleu", "fineradscore"]) == "fineradscore"
    with pytest.raises(InputError, match=r"^--report: bleu, rouge has no report of corrections; add fineradscore"):
        metric_with_report(["bleu", "rouge"])


@pytest.fixture
def pair_file(tmp_path):
    path = tmp_path / "pairs.jsonl"
    rows = [{"id": p.id, "prediction": p.prediction, "reference": p.reference} for p in PAIRS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_command_writes_it(pair_file, tmp_path, capsys):
    out = tmp_path / "corrections.html"
    assert cli.main(["score", pair_file, "--metrics", "bleu,fineradscore", "--report", str(out)]) == 0
    assert f"corrections of 3 reports written to {out}" in capsys.readouterr().out
    assert out.read_text("utf-8") == page()


@pytest.mark.parametrize(
    "metrics, file, message",
    [
        ("bleu", "out.html", "--report: bleu has no report of corrections; add fineradscore to --metrics"),
        ("fineradscore", "out.txt", "out.txt: the name must end in .html"),
        ("fineradscore", "no/out.html", "does not exist"),
    ],
)
def test_the_command_says_what_is_wrong(pair_file, tmp_path, capsys, metrics, file, message):
    assert cli.main(["score", pair_file, "--metrics", metrics, "--report", str(tmp_path / file)]) == 2
    assert message in capsys.readouterr().err
