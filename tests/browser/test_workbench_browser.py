"""The workbench in a browser: read the sheets, change, undo, ask why, share, save, with a mouse and with keys alone."""

import base64
import json
import re
from pathlib import Path

import pytest
from PIL import Image

from radeval_core import load
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.examples import EXAMPLES

HOSTILE = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script> Small right pleural effusion.'
REFERENCE = "Small left pleural effusion. The heart is mildly enlarged."
CANDIDATE = "Small right pleural effusion."
AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")


@pytest.fixture
def page(visit):
    return opened(visit)


def opened(visit, link="workbench/", width=1280):
    page = visit(link, width)
    page.locator(".wb-chip").nth(len(metric_names()) - 1).wait_for()
    page.wait_for_function("window.workbench !== undefined")
    return page


def write(page, reference, candidate, other=""):
    for name, words in (("reference", reference), ("candidate", candidate), ("candidate-b", other)):
        page.locator(f"#{name} textarea").fill(words)


def settled(page):
    """Wait until the scores on the page are those of its texts."""
    page.wait_for_function(
        "() => { workbench.changed(...radeval.fields()); return !document.querySelector('#wb-chips.wb-stale'); }"
    )


def raw(page, name, side="a"):
    """Return the raw score on a metric's chip."""
    shown = page.locator(f".wb-chip[data-metric={name}] .wb-values .wb-{side} small").inner_text()
    return float(shown)


def expected(name, reference, candidate):
    from radeval_core.ui.pair import demo_options

    return load(name, **demo_options(get_spec(name))).compute([candidate], [reference])[name]


def test_it_opens_with_a_scored_case_and_marks_are_linked_both_ways(page, shoot):
    assert "Emergent error: right pulmonary embolism: denied" in page.locator("#wb-top").inner_text()
    assert page.locator("#a .rs-errors li").count() == 3 and "No error found" in page.locator("#b").inner_text()
    shoot(page, "workbench_desktop")
    outlined = "(e) => getComputedStyle(e).outlineStyle === 'solid'"
    page.locator("#a-m2 del").hover()
    assert page.locator("#a-e2 a").evaluate(outlined) and not page.locator("#a-e1 a").evaluate(outlined)
    # with keys: from the mark to its entry and back, and the address stays as it is
    page.locator("#a-m1").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.closest('#a-e1') !== null")
    assert page.locator("#a-m1").evaluate(outlined)
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'a-m1'")
    assert page.evaluate("location.hash") == ""


def test_a_visitor_types_and_sees_every_metric_at_once(page):
    write(page, REFERENCE, CANDIDATE, REFERENCE)
    settled(page)
    for name in metric_names():
        assert raw(page, name) == pytest.approx(expected(name, REFERENCE, CANDIDATE), abs=0.00501), name
        assert raw(page, name, "b") == pytest.approx(expected(name, REFERENCE, REFERENCE), abs=0.00501), name
    assert page.locator("#a del").first.inner_text() == "right"
    assert page.locator("#a ins").first.inner_text() == "left"


def test_out_of_date_scores_are_grey_until_the_new_ones_are_there(page):
    page.evaluate(
        "new MutationObserver(() => { if (document.querySelector('#wb-chips.wb-stale')) window.wasGrey = true; })"
        ".observe(document.body, { subtree: true, attributes: true, attributeFilter: ['class'] })"
    )
    page.locator("#candidate textarea").fill(CANDIDATE)
    page.wait_for_function("window.wasGrey === true")
    settled(page)


def test_buttons_change_undo_and_clear(page):
    write(page, REFERENCE, REFERENCE)
    settled(page)
    page.locator("#wb-side").click()
    page.locator(".wb-before").first.wait_for()
    assert page.get_by_label("Last change").input_value().startswith("side")
    assert page.locator("#candidate textarea").input_value() != REFERENCE
    settled(page)
    assert raw(page, "green") < 1
    page.locator("#wb-undo").click()
    page.wait_for_function("radeval.fields()[0] === radeval.fields()[1]")
    page.locator("#wb-clear").click()
    page.wait_for_function("radeval.fields().every((field) => !field)")
    page.locator("#wb-top", has_text="Nothing to show").wait_for()
    page.locator("#wb-undo").click()
    page.wait_for_function("radeval.fields()[0] !== ''")
    # candidate B starts from the reference
    page.get_by_label("B", exact=True).check()
    page.locator("#wb-order").click()
    page.wait_for_function("radeval.fields()[2] !== ''")
    settled(page)
    assert raw(page, "green", "b") == 1


def test_which_error_is_noticed_stands_beside_the_chart_and_is_seen(page, shoot):
    write(page, REFERENCE, CANDIDATE)
    settled(page)
    page.locator("#wb-explain").click()
    page.locator(".wb-noticed section").nth(1).wait_for()
    assert page.locator(".wb-noticed section").count() == page.locator("#a .rs-errors li").count() == 2
    chart, found = page.locator("#wb-chips").bounding_box(), page.locator(".wb-noticed").bounding_box()
    assert abs(chart["x"] - found["x"]) < 30 and found["x"] > 500
    page.wait_for_function(
        "() => { const box = document.querySelector('.wb-noticed').getBoundingClientRect();"
        " return box.top < innerHeight && box.bottom > 0; }"
    )
    shoot(page, "workbench_noticed")
    # another pair has another explanation
    page.locator("#candidate textarea").fill(REFERENCE)
    page.locator(".wb-noticed").wait_for(state="detached")


def test_a_chip_shows_why_and_leads_to_the_page_of_the_metric_with_the_pair(page):
    write(page, REFERENCE, CANDIDATE)
    settled(page)
    page.locator(".wb-chip[data-metric=green]").click()
    page.locator(".wb-why h3", has_text="Why green says so").wait_for()
    value = expected("green", REFERENCE, CANDIDATE)
    assert float(page.locator(".wb-why data.score").get_attribute("value")) == pytest.approx(value)
    page.locator(".wb-why a[data-space]").click()
    page.wait_for_url(re.compile(r"/green/#w="))
    page.locator(f'#result data.score[value="{value!r}"]').wait_for()
    assert page.locator("#candidate textarea").input_value() == CANDIDATE


def test_a_short_link_opens_the_same_fields(page, visit, spaces_url):
    words = "Naïve café reading: 5 µm — <b>left</b> effusion. " * 8
    write(page, REFERENCE, words, REFERENCE)
    page.get_by_role("button", name=re.compile("^Patient")).click()
    page.locator("#context-age input, #context-age textarea").fill("64")
    page.locator("#wb-share").click()
    page.locator("#wb-link textarea").wait_for()
    link = page.locator("#wb-link textarea").input_value()
    assert link.startswith(f"{spaces_url}/workbench/#w=") and len(link) < len(words)
    other = opened(visit, link.removeprefix(f"{spaces_url}/"))
    other.wait_for_function("radeval.fields()[3] === '64'")
    assert other.evaluate("radeval.fields().slice(0, 4)") == [REFERENCE, words, REFERENCE, "64"]


def test_an_old_link_works_and_a_damaged_one_opens_the_first_case(visit):
    stored = base64.urlsafe_b64encode(json.dumps([REFERENCE, CANDIDATE]).encode()).decode().rstrip("=")
    page = visit(f"playground/#pair={stored}")
    page.locator("#a .rs-page del", has_text="right").wait_for()
    page.wait_for_function("window.radeval !== undefined && radeval.fields()[1].startsWith('Small right')")
    assert page.evaluate("radeval.fields().slice(0, 2)") == [REFERENCE, CANDIDATE]
    assert "filling defect" in opened(visit, "workbench/#w=%%%").evaluate("radeval.fields()[0]")


def test_a_picture_is_saved(page):
    with page.expect_download() as download:
        page.locator("#wb-save").click()
    assert re.fullmatch(r"radeval_[0-9a-f]{8}\.png", download.value.suggested_filename)
    assert Image.open(download.value.path()).size[0] == 1600


def test_report_text_is_escaped(page):
    write(page, REFERENCE, HOSTILE, HOSTILE)
    settled(page)
    page.locator("#wb-explain").click()
    page.locator(".wb-noticed").wait_for()
    page.locator(".wb-chip[data-metric=fineradscore]").click()
    page.locator(".wb-why").wait_for()
    assert page.evaluate("window.hacked") is None
    assert page.locator(".rs img, .wb-noticed img, .wb-why img, .gradio-container .rs script").count() == 0


def tab_to(page, wanted, most=80):
    """Press Tab until an element that matches has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"Tab does not reach {wanted}")


def test_the_whole_way_with_keys_alone(page):
    tab_to(page, "#reference textarea")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(REFERENCE)
    tab_to(page, "#candidate textarea")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type(CANDIDATE)
    page.keyboard.press("Control+Enter")
    settled(page)
    tab_to(page, "#wb-negation")
    page.keyboard.press("Enter")
    page.get_by_label("Last change").wait_for()
    tab_to(page, "#wb-undo")
    page.keyboard.press("Enter")
    page.wait_for_function(f"radeval.fields()[1] === {json.dumps(CANDIDATE)}")
    settled(page)
    tab_to(page, "#a-m1")
    tab_to(page, "#a-e1 a")
    tab_to(page, ".wb-chip[data-metric=green]")
    page.keyboard.press("Enter")
    page.locator(".wb-why h3", has_text="green").wait_for()
    tab_to(page, "#wb-explain")
    page.keyboard.press("Enter")
    page.locator(".wb-noticed").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read(browser, spaces_url, scheme, fits, shoot):
    page = browser.new_context(viewport={"width": 390, "height": 800}, color_scheme=scheme).new_page()
    page.goto(f"{spaces_url}/workbench/")
    page.locator(".wb-chip").nth(len(metric_names()) - 1).wait_for()
    page.locator("#wb-explain").click()
    page.locator(".wb-noticed section").first.wait_for()
    assert fits(page)
    shoot(page, f"workbench_phone_{scheme}")
    ours = page.evaluate(f"({AUDIT})('.rs, .wb-chips, .wb-noticed, .rv-nav, #wb-top')")
    assert ours == []
    page.context.close()


def test_examples_open(page):
    page.get_by_role("button", name=EXAMPLES[1].label, exact=True).click()
    page.wait_for_function(f"radeval.fields()[0] === {json.dumps(EXAMPLES[1].reference)}")
    settled(page)
    assert page.locator("#a .rs-errors li").count() == 2 and page.locator("#b").count() == 0
