import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from bench_fixtures import rated, rows_of

from radeval_core.bench.correction_rows import correction_rows
from radeval_core.bench.expert_data import rated_pairs
from radeval_core.bench.page import bench_page
from radeval_core.bench.plots import dot_plot, scatter
from radeval_core.bench.run import Outcome, run_bench
from radeval_core.bench.sources import TriadData
from radeval_core.bench.tables import extra_tables, main_table

EVIL = '<script>alert("x")</script>.jsonl'


def outcome(provenance=None):
    """A benchmark with every section of rated pairs."""
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
    data = rated_pairs(rows_of(*rows), "d", provenance or {"dataset": "rexval", "config": "pairs", "split": "test"})
    return run_bench(data, ["rouge", "green", "fineradscore"], with_sensitivity=True)


class Tags(HTMLParser):
    """Every tag must be closed by its own end."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        self.ids += [value for key, value in attrs if key == "id"]
        if tag != "meta":
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
    assert not any(key in ("src", "onclick", "onload") for key, _ in tags.attributes)
    assert "<script" not in page and "url(" not in page and "@import" not in page and "http" not in page
    return tags


@pytest.fixture(scope="module")
def whole():
    return outcome()


def test_every_section_is_on_the_page_and_nothing_is_loaded(whole):
    page = bench_page(whole)
    ids = checked(page).ids
    wanted = "agreement scatter raters-errors categories preference-margin preference-confidence counts failure-errors"
    for key in [*wanted.split(), "count-categories", "sensitivity", "published", "provenance"]:
        assert key in ids, key
    assert page.count("<svg") == 4 + 3  # three measures and the preference, and a scatter a metric
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


def test_dots_are_sorted_and_stand_where_they_should():
    rows = {"low": {"value": 0.2, "ci95": [0.1, 0.3]}, "high": {"value": 0.4, "ci95": None}, "none": {"value": None}}
    plot = dot_plot(rows, "a & b", line=0.5, named="experts")
    assert (
        plot.index("high") < plot.index("low") and "none" not in plot and "a &amp; b" in plot and "experts 0.50" in plot
    )
    centres = [float(x) for x in re.findall(r'class="dot" cx="([\d.]+)"', plot)]
    ticks = {
        float(t): float(x)
        for x, t in re.findall(r'class="tick" x="([\d.]+)" y="\d+" text-anchor="middle">([\d.]+)<', plot)
    }
    assert centres == pytest.approx([ticks[0.4], ticks[0.2]], abs=0.1)
    assert dot_plot({"none": {"value": None}}, "x") == ""


def test_scatter_draws_each_place_once():
    nan = float("nan")
    plot = scatter(np.array([0, 0, 2, nan]), np.array([1, 1, 0, 5]), "errors", "<m>")
    assert plot.count('class="point"') == 2 and "&lt;m&gt;" in plot
    radii = sorted(float(r) for r in re.findall(r'r="([\d.]+)"', plot))
    assert radii == pytest.approx([2, 2.8])
    assert scatter(np.array([nan]), np.array([1.0]), "a", "b") == ""
    assert scatter(np.array([1.0, 1.0]), np.array([2.0, 2.0]), "a", "b").count('class="point"') == 1


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
    checked(bench_page(Outcome(found.result, found.scores, found.expert)))
