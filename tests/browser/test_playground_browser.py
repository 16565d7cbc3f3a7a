"""The playground in a browser: click, change, type, ask for an explanation, share a link."""

import re

import pytest

from radeval_core import load
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.examples import EXAMPLES

HOSTILE = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script> Small right pleural effusion.'
REFERENCE = "Small left pleural effusion. The heart is mildly enlarged."


@pytest.fixture
def page(visit):
    page = visit("playground/")
    page.locator(".pg-row").nth(len(metric_names()) - 1).wait_for()
    return page


def write(page, reference, candidate):
    page.get_by_label("Reference report").fill(reference)
    page.get_by_label("Candidate report").fill(candidate)


def raw(page, name):
    """Return the raw score beside a metric's bar."""
    text = page.locator(".pg-row", has_text=re.compile(rf"^{name}")).locator("small").inner_text()
    return float(re.search(r"-?\d+\.\d+", text).group())


def expected(name, reference, candidate):
    from radeval_core.ui.pair import demo_options

    return load(name, **demo_options(get_spec(name))).compute([candidate], [reference])[name]


def test_a_visitor_types_and_sees_every_metric_at_once(page, shoot):
    write(page, REFERENCE, "Small right pleural effusion.")
    wanted = f"{expected('rouge', REFERENCE, 'Small right pleural effusion.'):.2f}"
    page.locator(".pg-row", has_text=re.compile(rf"^rouge.*{wanted}", re.DOTALL)).wait_for()
    for name in metric_names():
        assert raw(page, name) == pytest.approx(expected(name, REFERENCE, "Small right pleural effusion."), abs=0.00501)
    assert "disagree" in page.locator("#pg-verdict").inner_text()
    shoot(page, "playground_desktop")


def test_a_change_shows_who_notices(page, shoot):
    page.get_by_role("button", name=EXAMPLES[1].label, exact=True).click()
    page.locator("#pg-copy").click()
    page.locator(".pg-row", has_text=re.compile(r"^green.*1\.00", re.DOTALL)).wait_for()
    page.locator("#pg-side").click()
    page.locator(".pg-before").first.wait_for()
    assert page.get_by_label("Last change").input_value().startswith("side")
    assert page.get_by_label("Candidate report").input_value() != page.get_by_label("Reference report").input_value()
    assert raw(page, "green") < 1
    page.locator("#pg-explain").click()
    page.locator(".pg-noticed tbody tr").first.wait_for()
    assert page.locator(".pg-noticed thead th").count() == len(metric_names()) + 1
    shoot(page, "playground_explained")


def test_a_link_opens_the_same_pair(page, visit, spaces_url):
    write(page, REFERENCE, "Naïve café reading: 5 µm — <b>left</b> effusion.")
    page.locator("#pg-share").click()
    page.locator("#pg-link textarea").wait_for()
    link = page.locator("#pg-link textarea").input_value()
    assert link.startswith(f"{spaces_url}/playground/#pair=")
    other = visit(link.removeprefix(f"{spaces_url}/"))
    other.locator(".pg-row").first.wait_for()
    assert other.get_by_label("Reference report").input_value() == REFERENCE
    assert other.get_by_label("Candidate report").input_value() == "Naïve café reading: 5 µm — <b>left</b> effusion."


def test_a_damaged_link_opens_the_first_pair(visit):
    page = visit("playground/#pair=%%%")
    page.locator(".pg-row").first.wait_for()
    assert page.get_by_label("Reference report").input_value() == EXAMPLES[1].reference


def test_report_text_is_escaped(page):
    write(page, REFERENCE, HOSTILE)
    page.locator("#pg-explain").click()
    page.locator(".pg-noticed").wait_for()
    assert page.evaluate("window.hacked") is None
    assert page.locator(".pg-noticed img, .pg-noticed script").count() == 0


def test_it_works_on_a_phone_and_by_keyboard(page, fits, shoot):
    assert fits(page)
    shoot(page, "playground_phone")
    page.get_by_label("Candidate report").focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "pg-negation":
            break
    page.keyboard.press("Enter")
    page.locator(".pg-before").first.wait_for()
