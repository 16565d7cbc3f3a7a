"""Every page under axe-core (vendored, see axe-core/README.md): no serious or critical violation, in light and dark."""

from pathlib import Path

import pytest

from radeval_core.registry import metric_names

AXE = (Path(__file__).parent / "axe-core" / "axe.min.js").read_text("utf-8")
PAGES = ["", "workbench/", "file_page/", "leaderboard/", "reading_room/", *(f"{name}/" for name in metric_names())]
#: what a page shows when it is ready
READY = {
    "": "h1",
    "workbench/": ".wb-chip",
    "file_page/": "#fp-metrics label",
    "leaderboard/": "#ranking-table table",
    "reading_room/": "main button",
}
#: the other tabs of the leaderboard, with what they show when they are ready
TABS = {
    "leaderboard/#tab=systems": "#about-system .lb-big",
    "leaderboard/#tab=compare": "#compared table",
    "leaderboard/#tab=submit": "#submit-button",
    "leaderboard/#tab=method": "text=What a rank means",
}
#: the pages of metrics share their style: one of them is checked in the dark
CASES = [(path, "light") for path in PAGES] + [(path, "dark") for path in (*READY, "green/")]
CASES += [(path, scheme) for path in TABS for scheme in ("light", "dark")]
RUN = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return found.violations
    .filter((rule) => ["serious", "critical"].includes(rule.impact))
    .flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)} | ${node.target.join(" ")}`));
}"""


@pytest.mark.parametrize(("path", "scheme"), CASES, ids=lambda part: part.rstrip("/") or "index")
def test_a_page_has_no_serious_violation(path, scheme, browser, spaces_url):
    page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme, bypass_csp=True).new_page()
    page.goto(f"{spaces_url}/{path}")
    page.locator({**READY, **TABS}.get(path, "#result data.score")).first.wait_for(timeout=60_000)
    page.wait_for_timeout(400)  # fading in has ended
    page.evaluate(AXE)
    found = page.evaluate(RUN)
    page.context.close()
    assert found == []


def test_a_long_report_has_no_serious_violation_after_scoring(browser, spaces_url):
    """Its sheet scrolls in itself, so it must be reached by keyboard."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True).new_page()
    page.goto(f"{spaces_url}/fineradscore/")
    page.locator("#result data.score").wait_for(timeout=60_000)
    page.locator("#reference textarea").fill("The heart is large. Small left effusion. " * 30)
    page.locator("#candidate textarea").fill("The heart is large. Small right effusion. " * 30)
    page.locator("#score").click()
    page.locator("#view .rs-long").nth(1).wait_for(timeout=60_000)
    page.evaluate(AXE)
    found = page.evaluate(RUN)
    page.context.close()
    assert found == []
