"""Text on pages stays text: there is one escaper, and every page without a view is tested with hostile text."""

import html
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import radeval_core
from radeval_core.bench.page import bench_page
from radeval_core.bench.run import run_bench
from radeval_core.bench.sources import TriadData
from radeval_core.html_text import text
from radeval_core.ui.box_plot import draw_boxes

SOURCES = Path(radeval_core.__file__).parent
HOSTILE = """<script>alert("1")</script> <img src=x onerror='f(2)'> ${f(3)} {{constructor}} `x` & right effusion"""


def page_of_a_benchmark():
    triads = TriadData([1], ["Left effusion."], ["Left pleural fluid."], ["No effusion."], {"file": HOSTILE})
    return bench_page(run_bench(triads, ["rouge"]))


def marked_up_report():
    from radeval_core.ui.sheet import draw_sheet, read_sheet

    return draw_sheet(read_sheet("Left effusion.", HOSTILE), "a")


def boxes_on_a_chest():
    return draw_boxes({HOSTILE: [0.1, 0.1, 0.4, 0.4]}, {}).svg


@pytest.mark.parametrize("page", [page_of_a_benchmark, marked_up_report, boxes_on_a_chest])
def test_hostile_text_is_inert(page):
    shown = re.sub(r"<style>.*?</style>", "", page(), flags=re.DOTALL)
    assert "{{constructor}}" in html.unescape(shown), "the text is on the page"
    assert not re.search(r"<script|<img src=x|[${}`]", shown)


@given(st.text())
def test_every_text_comes_back_and_has_no_sign_of_markup_or_templates(content):
    escaped = text(content)
    assert html.unescape(escaped) == html.unescape(html.escape(content))
    assert not re.search(r"[<>\"'${}`]", escaped)


def test_numbers_are_text_too():
    assert text(0.5) == "0.5"


def test_no_other_module_escapes_on_its_own():
    own = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(r"^\s*(import html$|from html import)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert own == {"html_text.py", "ui/pair.py"}, "errors of an endpoint keep their quotes; all else uses html_text"
