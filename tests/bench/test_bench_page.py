import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from bench_fixtures import rated, rows_of

from radeval_core.bench.correction_rows import correction_rows
from radeval_core.bench.expert_data import rated_pairs
from radeval_core.bench.page import bench_page
from radeval_core.bench.plots import action_plot, dot_plot, scatter, severity_plot
from radeval_core.bench.run import BenchResult, run_bench
from radeval_core.bench.sources import TriadData
from radeval_core.bench.tables import extra_tables, main_table

EVIL = '<script>alert("x")</script>.jsonl'


def outcome(provenance=None):
    """Return a benchmark result with every section of rated pairs."""
    texts = ["Large left effusion.", "Clear lungs.", "Left effusion and edema.", "Small left effusion."]
    rows = []
    for i, text in enumerate(texts * 2):
        expert = {
            "errors": [i % 4, i % 3],
            "significant_errors": [i % 2, 0],
            "rating": [5 - i % 4, 4],
            "confidence": i // 2,
            "categories": {"wrong_severity": {"significant": [i % 2, 0]}},
        }
        rows.append({**rated(i, expert, f"s{i // 2}"), "prediction": text, "reference": "Small left effusion."})
    data = rated_pairs(rows_of(*rows), "d", provenance or {"dataset": "rexval", "config": "all", "split": "test"})
    return run_bench(data, ["rouge", "green", "fineradscore"], with_sensitivity=True)


class Tags(HTMLParser):
    """Parser that checks that every tag is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        self.ids += [value for key, value in attrs if key == "id"]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(page):
    tags = Tags()
    tags.feed(page)
    assert not tags.open and len(set(tags.ids)) == len(tags.ids)
    links = [value for key, value in tags.attributes if key == "href"]
    assert links and all(link.removeprefix("#") in tags.ids for link in links)  # no link leaves the page
    assert not any(key in ("onclick", "onload") for key, _ in tags.attributes)
    pictures = [value for key, value in tags.attributes if key == "src"]
    assert all(re.fullmatch(r"data:image/png;base64,[\w+/=]+", picture) for picture in pictures)
    words = re.sub(r'src="data:[^"]*"', "", page)
    assert "<script" not in words and "url(" not in words and "@import" not in words and "http" not in words
    return tags


@pytest.fixture(scope="module")
def whole():
    return outcome()


def test_the_page_has_every_section_and_loads_nothing(whole):
    page = bench_page(whole)
    ids = checked(page).ids
    wanted = (
        "agreement scatter raters-errors between-errors intraclass categories preference-margin "
        "preference-confidence counts failure-errors"
    )
    for key in [*wanted.split(), "count-categories", "sensitivity", "published", "provenance"]:
        assert key in ids, key
    assert page.count("<img") == 4 + 3  # three measures, the preference, and one scatter plot per metric
    assert "0.531" in page and "rouge|config:" in page and "20240601" in page


def test_the_result_is_strict_json(whole):
    json.dumps(whole.result, allow_nan=False)


def test_no_report_is_on_the_page(whole):
    page = bench_page(whole)
    assert "effusion" not in page and "Clear lungs" not in page


def test_names_are_escaped():
    page = bench_page(outcome({"file": EVIL, "rows": 8}))
    checked(page)
    assert "&lt;script&gt;" in page


def test_triads_and_corrections_have_pages():
    triads = TriadData([1], ["Left effusion."], ["Left pleural fluid."], ["No effusion."], {"file": "t.jsonl"})
    assert "triads" in checked(bench_page(run_bench(triads, ["rouge"]))).ids
    reading = {
        "id": 1,
        "prediction": "Left effusion. Clear lungs.",
        "reference": "Left effusion. Edema.",
        "lines": [{"line": 1, "action": "rewrite", "corrected": "Edema.", "severity": 2}],
    }
    readings = correction_rows(rows_of(reading), "d", {"file": "c.jsonl"})
    found = run_bench(readings, ["fineradscore", "rouge"])
    json.dumps(found.result, allow_nan=False)
    ids = checked(bench_page(found)).ids
    assert {"correction-types", "correction-text", "correction-severity", "correction-gain"} <= set(ids)
    pictures = [re.search(r'alt="([^"]*)"', tag).group(1) for tag in re.findall("<img[^>]*>", bench_page(found))]
    assert "0 lines keep, 0 lines delete, 1 lines rewrite; 0 reports with an insertion" in pictures
    assert any("as written" in alt and "of 1 exact" in alt for alt in pictures)


def test_the_severity_plot_has_one_bar_per_difference_and_setting():
    (axes,) = severity_plot({"as_written": {"0": 3, "1": 1}, "shuffled": {"-2": 1}}).axes
    heights = [bar.get_height() for bar in axes.patches if bar.get_width() < 1]
    assert len(heights) == 18 and heights[4:6] == [75, 25] and heights[9 + 2] == 100
    assert labels(axes.xaxis)[2] == "\u22122" and axes.get_legend().texts[0].get_text() == "as written"


def test_the_action_plot_has_shares_with_counts():
    actions = {"keep": 6, "delete": 1, "rewrite": 3, "insert": 2, "reports": 4, "reports_with_insertion": 1}
    lines, reports = action_plot(actions).axes
    assert [bar.get_height() for bar in lines.patches] == [60, 10, 30]
    assert [bar.get_height() for bar in reports.patches] == [25, 75]
    assert [text.get_text() for text in reports.texts] == ["1", "3"]


def test_every_picture_says_what_it_shows(whole):
    found = [re.search(r'alt="([^"]*)"', tag).group(1) for tag in re.findall("<img[^>]*>", bench_page(whole))]
    value = whole.result["rouge"]["kendall_errors"]["value"]
    assert f"rouge {value:.3f}" in found[0] and "experts " in found[0]
    assert found[-1] == "fineradscore against experts&#x27; errors"


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_dots_are_sorted_and_at_their_values():
    rows = {"low": {"value": 0.2, "ci95": [0.1, 0.3]}, "high $x$": {"value": 0.4, "ci95": None}}
    (axes,) = dot_plot(rows, line=0.5, named="experts").axes
    assert labels(axes.yaxis) == ["high $x$", "low"]
    (numbers,) = axes.child_axes
    assert labels(numbers.yaxis) == ["0.400", "0.200"]
    dots = next(line for line in axes.lines if line.get_marker() == "o")
    assert dots.get_xydata().tolist() == [[0.4, 0], [0.2, 1]]
    assert [segment[:, 0].tolist() for segment in axes.collections[0].get_segments()] == [[0.4, 0.4], [0.1, 0.3]]
    assert [text.get_text() for text in axes.texts] == ["experts 0.50"]
    assert axes.yaxis_inverted() and axes.get_xlim()[0] < 0 < 0.5 < axes.get_xlim()[1]


def test_a_scatter_plot_draws_each_place_once_and_leaves_out_nan():
    nan = float("nan")
    (axes,) = scatter(np.array([0, 0, 2, nan]), np.array([1, 1, 0, 5]), "errors").axes
    (dots,) = axes.collections
    assert dots.get_offsets().tolist() == [[0, 1], [2, 0]] and dots.get_sizes().tolist() == [18, 9]
    assert axes.get_xlabel() == "errors"


def test_tables_put_the_best_first_and_experts_last(whole):
    names = [cells[0] for cells in main_table(whole.result).rows]
    values = [whole.result[name]["kendall_errors"]["value"] for name in names[:-1]]
    assert names[-1] == "experts" and values == sorted(values, reverse=True)
    for table in extra_tables(whole.result):
        assert all(len(cells) == len(table.header) for cells in table.rows), table.key


def test_a_metric_without_any_value_is_still_listed():
    data = rated_pairs(rows_of(*(rated(i, {"errors": i}) for i in range(3))), "d", {"file": "d.jsonl"})
    found = run_bench(data, ["rouge"])
    assert main_table(found.result).rows[0][:2] == ["rouge", "-"]
    checked(bench_page(BenchResult(found.result, found.scores, found.expert)))
