"""The page of `radeval score --report` in a browser: sort, filter, open pairs with the keyboard, read in the dark."""

import json
from pathlib import Path

import pytest

from radeval_core import cli

#: metrics that need no encoder
METRICS = "green,fineradscore,radgraph_f1,chexbert_f1,ffl_rq,rouge,bleu,cider"
AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")
#: each part would set window.hacked if it ran
HOSTILE = (
    '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"></script></details><!-- '
    '${window.hacked=3} {{constructor.constructor("window.hacked = 4")()}} \u202eSmall right pleural effusion.'
)


@pytest.fixture(scope="module")
def report(tmp_path_factory, example_pairs):
    folder = tmp_path_factory.mktemp("report")
    rows = [{key: row[key] for key in ("id", "prediction", "reference")} for row in example_pairs]
    rows.append({"id": HOSTILE, "prediction": HOSTILE, "reference": "Small left pleural effusion."})
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["score", str(folder / "pairs.jsonl"), "--metrics", METRICS, "--report", str(folder / "report.html")]
    assert cli.main([*arguments, "--quiet", "--json"]) == 0
    return folder / "report.html"


def column(page, name):
    """Return the scores of a metric in the index, as they are shown from top to bottom; None if unscored."""
    return page.evaluate(
        """(name) => {
            const heads = [...document.querySelectorAll("#index th[data-key]")];
            const place = heads.findIndex((head) => head.dataset.key === name);
            return [...document.querySelectorAll("#index tbody tr")].filter((row) => !row.hidden)
              .map((row) => place ? parseFloat(row.cells[place].dataset.value) : row.cells[0].textContent);
        }""",
        name,
    )


def cards(page):
    return page.locator(".pair:not([hidden]) > summary .id").all_inner_texts()


def test_a_reader_sorts_by_any_metric_and_direction(open_file, report):
    page = open_file(report)
    total = len(column(page, "green"))
    assert column(page, "green") == sorted(column(page, "green")), "the worst first"
    assert page.locator("#shown").inner_text() == f"{total} of {total} pairs shown"
    page.locator("#index th[data-key=fineradscore] button").click()
    assert column(page, "fineradscore") == sorted(column(page, "fineradscore"), reverse=True), "lower is better"
    assert page.locator("#index th[data-key=fineradscore]").get_attribute("aria-sort") == "descending"
    assert cards(page) == column(page, "id"), "the cards follow the index"
    page.locator("select[name=order]").select_option("best")
    assert column(page, "fineradscore") == sorted(column(page, "fineradscore"))
    page.get_by_label("Sort by").select_option("rouge")
    assert column(page, "rouge") == sorted(column(page, "rouge"), reverse=True), "best first"
    assert page.locator(".pair .now").first.inner_text() == "rouge 1.000"


def test_a_reader_filters_by_score_error_and_id(open_file, report):
    page = open_file(report)
    total = len(cards(page))
    page.get_by_label("Score of").select_option("fineradscore")
    page.get_by_label("from").fill("4")
    page.get_by_label("to", exact=True).fill("6")
    assert column(page, "fineradscore") and all(4 <= value <= 6 for value in column(page, "fineradscore"))
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Id contains").fill("NEGATION")
    assert cards(page) == ["cxr-05-negation-flip"]
    page.get_by_role("button", name="Clear").click()
    assert len(cards(page)) == total
    page.locator("button[data-show=wrong_location]").click()
    tags = page.locator(".pair:not([hidden]) .tags")
    assert 0 < tags.count() < total and all("wrong location" in words for words in tags.all_inner_texts())
    assert page.locator("select[name=error]").evaluate("(e) => e === document.activeElement")


def test_a_pair_opens_with_the_keyboard_and_shows_every_metric(open_file, report, shoot):
    page = open_file(report)
    link = page.locator("#index tbody a").nth(1)
    link.focus()
    page.keyboard.press("Enter")
    card = page.locator(".pair[open]")
    card.locator(".panel .rv").first.wait_for()
    assert card.locator(".id").inner_text() == link.inner_text()
    assert card.locator("> summary").evaluate("(e) => e === document.activeElement")
    assert card.get_by_role("tab", selected=True).inner_text().startswith("green")
    links = card.locator(".rs a").count()
    assert links, "the marks of the report come first"
    for _ in range(links + 1):
        page.keyboard.press("Tab")
    seen = []
    for _ in METRICS.split(","):
        seen.append(page.evaluate("document.activeElement.dataset.metric"))
        assert card.get_by_role("tabpanel").inner_text().strip(), seen[-1]
        page.keyboard.press("ArrowRight")
    assert seen == METRICS.split(",")
    card.locator("> summary").focus()
    page.keyboard.press("Space")
    assert page.locator(".pair[open]").count() == 0
    page.get_by_role("button", name="Open all").click()
    page.locator(".pair[open] .panel .rv").nth(len(cards(page)) - 1).wait_for()
    assert page.locator(".pair[open]").count() == len(cards(page))
    shoot(page, "report_desktop")


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)])
def test_everything_can_be_read_in_light_and_dark_and_on_a_phone(open_file, report, scheme, width, shoot):
    page = open_file(report, width, scheme)
    page.evaluate("document.querySelectorAll('section > details').forEach((folded) => { folded.open = true; })")
    card = page.locator(".pair").nth(1)
    card.locator("> summary").click()
    for tab in card.get_by_role("tab").all():
        tab.click()
        assert "\n".join(page.evaluate(AUDIT)) == "", tab.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, tab.inner_text()
    shoot(page, f"report_{scheme}_{width}")


def test_the_switch_overrules_the_system(open_file, report):
    page = open_file(report, scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_label("Colours").select_option("Light")
    light = page.evaluate(ground)
    page.get_by_label("Colours").select_option("Dark")
    assert page.evaluate(ground) == dark != light
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)", "paper is white"


def test_hostile_text_is_text(open_file, report):
    page = open_file(report)
    page.get_by_label("Id contains").fill("constructor")
    assert page.locator(".pair:not([hidden]) .id").text_content().startswith("<script>window.hacked = 1</script><img")
    card = page.locator(".pair:not([hidden])")
    card.locator("> summary").click()
    for tab in card.get_by_role("tab").all():
        tab.click()
    assert card.locator("img").count() == 0 and page.evaluate("window.hacked") is None
