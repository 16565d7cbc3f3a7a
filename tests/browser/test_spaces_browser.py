"""Every metric's Space in a browser: click an example, read the score, type, upload a file."""

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from radeval_core import load, score
from radeval_core.registry import get_spec, metric_names
from radeval_core.ui.examples import EXAMPLES

AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")
NAMES = metric_names()
PAIRS = [{"id": f"row {i}", "prediction": e.candidate, "reference": e.reference} for i, e in enumerate(EXAMPLES * 4, 1)]
HOSTILE = (
    '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"> ${window.hacked = 3} '
    '{{constructor.constructor("window.hacked = 4")()}} Small left pleural effusion.'
)


@pytest.fixture
def pair_file(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in PAIRS))
    return path


@pytest.fixture(scope="module")
def dark_page(browser, spaces_url):
    """Open GREEN's page with a scored example, for a visitor with a dark theme."""
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(f"{spaces_url}/green/")
    page.get_by_role("button", name=EXAMPLES[1].label, exact=True).click()
    page.locator("#view .rs-mark").first.wait_for()
    yield page
    page.context.close()


def expected(name, reference, candidate):
    from radeval_core.ui.pair import demo_options

    return load(name, **demo_options(get_spec(name))).compute([candidate], [reference])[name]


def score_on(page, value, place="#result"):
    """Wait until the page shows a score; the element's value has every digit."""
    page.locator(f'{place} data.score[value="{value!r}"]').wait_for()
    assert page.locator(f"{place} data.score").inner_text() == f"{value:.3f}"


@pytest.mark.parametrize("name", NAMES)
def test_a_visitor_scores_a_pair_and_a_file(name, visit, fits, shoot, pair_file):
    page = visit(f"{name}/")
    # it opens with an example that is scored
    page.locator("#result data.score").wait_for()
    assert page.locator("#view .rv").inner_text().strip()
    example = EXAMPLES[1]
    page.get_by_role("button", name=example.label, exact=True).click()
    score_on(page, expected(name, example.reference, example.candidate))
    assert page.locator("#view .rv").inner_text().strip()
    page.get_by_role("button", name="Numbers, signature and code").click()
    page.locator(".cm-content").wait_for()
    assert f"{name}|config:embedded|" in page.get_by_label("Signature: everything").input_value()
    assert f'load("{name}"' in page.locator(".cm-content").inner_text()
    assert (
        page.get_by_role("link", name=re.compile("^Card")).get_attribute("href").endswith(f"{name}/blob/main/README.md")
    )
    assert page.evaluate(AUDIT) == []
    shoot(page, f"{name}_desktop")

    # by keyboard: write in the box, press Ctrl and Enter
    other = EXAMPLES[2].candidate
    page.locator("#candidate textarea").fill(other)
    page.locator("#candidate textarea").focus()
    page.keyboard.press("Control+Enter")
    score_on(page, expected(name, example.reference, other))

    assert fits(page), "one pair"
    assert page.evaluate(AUDIT) == []
    shoot(page, f"{name}_phone")

    page.get_by_role("tab", name="A file of pairs").click()
    page.locator("#upload input[type=file]").set_input_files(pair_file)
    result = score(PAIRS, [name]).results[name]
    page.locator("#file-result data.score").wait_for()
    shown = float(page.locator("#file-result data.score").get_attribute("value"))
    assert shown == pytest.approx(result.score, abs=1e-6)
    assert f"{len(PAIRS)} pairs" in page.locator("#file-result").inner_text()
    page.get_by_text("row 3", exact=True).first.wait_for()
    with page.expect_download() as download:
        page.locator("#download a").click()
    rows = [json.loads(line) for line in Path(download.value.path()).read_text("utf-8").splitlines()]
    assert download.value.suggested_filename == f"{name}_scores.jsonl"
    assert [row["id"] for row in rows] == [row["id"] for row in PAIRS]
    assert fits(page), "a file"
    shoot(page, f"{name}_file_phone")


def test_hostile_reports_are_shown_as_text_and_run_nothing(visit):
    page = visit("green/")
    page.locator("#reference textarea").fill(HOSTILE)
    page.locator("#candidate textarea").fill(HOSTILE.replace("left", "right"))
    page.locator("#score").click()
    page.locator("#view", has_text="constructor.constructor").wait_for()
    shown = "".join(page.locator("#view").inner_text().split())
    assert 'onerror="window.hacked=2">' in shown and "<script>window.hacked=1</script>" in shown
    assert page.evaluate("window.hacked") is None and page.locator("#view img").count() == 0


def test_a_pair_or_file_that_cannot_be_scored_shows_why(visit, tmp_path):
    page = visit("bleu/")
    page.locator("#reference textarea").fill("")
    page.locator("#candidate textarea").fill("")
    page.locator("#score").click()
    page.get_by_text("both reports are empty").first.wait_for()
    page.get_by_role("tab", name="A file of pairs").click()
    path = tmp_path / "pairs.csv"
    path.write_text('prediction,text\n"<b>a</b>","b"\n')
    page.locator("#upload input[type=file]").set_input_files(path)
    page.get_by_text("column 'reference' is missing").wait_for()


def test_boxes_are_drawn_on_the_visitors_film(visit, shoot, tmp_path):
    film = tmp_path / "film.png"
    Image.new("L", (400, 500), 60).save(film)
    page = visit("ffl_rq/")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Draw on your own film").click()
    chooser.value.set_files(film)
    page.get_by_text("Film is loaded").wait_for()
    page.get_by_role("button", name=EXAMPLES[2].label, exact=True).click()
    page.locator("#view svg image").wait_for()
    shoot(page, "ffl_rq_film")
    page.get_by_role("button", name="Back to the standard chest").click()
    page.get_by_role("button", name="Draw on your own film").wait_for()
    page.locator("#score").click()
    page.locator("#view svg image").wait_for(state="detached")


def test_a_dark_page_has_no_white_slab_and_can_be_read(dark_page):
    background = dark_page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", background)[:3])) < 60, "the page itself is dark"
    grounds = dark_page.locator(".rv, .rs-page").evaluate_all(
        "(found) => found.map((element) => getComputedStyle(element).backgroundColor)"
    )
    assert grounds and all(max(map(int, re.findall(r"\d+", ground)[:3])) < 90 for ground in grounds), grounds


def test_one_page_leads_to_every_space(visit, fits, shoot):
    page = visit("")
    for name in NAMES:
        assert page.get_by_role("link", name=re.compile(f"^{name}")).count() >= 1
    shoot(page, "index")
    assert fits(page)
    page.get_by_role("link", name=re.compile("^bleu")).click()
    page.get_by_role("heading", name="BLEU").wait_for()
