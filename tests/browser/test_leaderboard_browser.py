"""The leaderboard in a browser: read it, sort it, look at a system, submit, and submit hostile text."""

import json
import re

import pytest

from radeval_core.leaderboard.benchmark import load_benchmark

BASELINES = ["Noisy reference (sees the answer)", "Nearest neighbour", "Template normal report"]
#: at most 60 characters; each part would set window.hacked if it ran
HOSTILE_NAME = "<img src=x onerror=window.hacked=1> **b** ${window.hacked=2}"
HOSTILE_TEXT = (
    '<script>window.hacked = 3</script><img src=x onerror="window.hacked = 4"> [x](javascript:window.hacked=5) '
    '{{constructor.constructor("window.hacked = 6")()}} Small left pleural effusion.'
)


def submission(path, name, prediction=None, skip=0, extra=()):
    """Write a file of predictions: those of the template baseline, or one text for every study."""
    template = next(p for p in load_benchmark().baselines if p.stem == "template")
    rows = [json.loads(line) for line in template.read_text("utf-8").splitlines()][1:]
    system = {"name": name, "link": "https://example.org/model", "training_data": name}
    if prediction:
        rows = [{**row, "prediction": prediction} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"system": system}, *rows[skip:], *extra]), "utf-8")
    return path


def systems(page):
    return page.locator("#ranking-table [role=gridcell][data-col='1']").all_inner_texts()


def opened(visit, width=1280):
    page = visit("leaderboard/", width)
    page.locator("#ranking-table [role=gridcell]", has_text="Template normal report").wait_for(timeout=60_000)
    return page


def order_becomes(page, expected):
    """Wait until the baselines are in this order; other tests may have added systems."""
    for _ in range(100):
        found = [name for name in systems(page) if name in BASELINES]
        if found == expected:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{found} is not {expected}")


def test_a_visitor_reads_sorts_and_filters_the_ranking(visit, shoot):
    page = opened(visit)
    order_becomes(page, BASELINES)
    score = page.locator("#ranking-table [role=gridcell][data-col='2']").first.inner_text().replace("\u2060", "")
    assert re.fullmatch(r"0\.\d{3}\s\(0\.\d{3}–0\.\d{3}\)", score)
    assert page.locator("#plot svg").count() >= 3
    shoot(page, "leaderboard_desktop")

    # a column sorts by its numbers (10.2 after 7.97), although its cells show intervals
    header = page.locator("#ranking-table [role=columnheader]", has_text="fineradscore ↓").last
    header.hover()
    header.get_by_role("button", name="Open cell menu").click()
    page.get_by_role("menuitem", name="Sort ascending").click()
    order_becomes(page, [BASELINES[0], BASELINES[2], BASELINES[1]])
    page.locator("#ranking-table input").first.fill("neighbour")
    order_becomes(page, [BASELINES[1]])
    page.locator("#ranking-table input").first.fill("")

    # another metric changes the ranking and the plot
    page.get_by_label("Rank by").click()
    page.get_by_role("option", name="fineradscore").click()
    page.locator("#plot h4", has_text="fineradscore ↓").wait_for()
    order_becomes(page, [BASELINES[0], BASELINES[2], BASELINES[1]])


def test_a_visitor_looks_at_a_system_and_its_worst_cases(visit, shoot):
    page = opened(visit)
    page.get_by_role("tab", name="Systems").click()
    page.get_by_label("System", exact=True).click()
    page.get_by_role("option", name="Nearest neighbour").click()
    page.locator("#about-system .facts", has_text="Nearest neighbour").wait_for()
    page.get_by_label("Worst cases by").click()
    page.get_by_role("option", name="wrong location").click()
    page.locator("#cases b", has_text="wrong location").first.wait_for()
    assert page.locator("#cases .report").count() == 5
    shown = page.locator("#cases").inner_text() + page.locator("#about-system").inner_text()
    assert not any(study.reference in shown for study in load_benchmark().studies.values())
    shoot(page, "leaderboard_system")
    page.get_by_role("tab", name="Method").click()
    page.get_by_text("What a rank means").wait_for()


def test_problems_of_a_wrong_file_are_listed_and_it_cannot_be_submitted(visit, shoot, tmp_path):
    page = opened(visit)
    page.get_by_role("tab", name="Submit").click()
    wrong = submission(tmp_path / "w.jsonl", "Wrong", skip=1, extra=[{"id": HOSTILE_NAME, "prediction": "x"}])
    page.locator("#submission input[type=file]").set_input_files(wrong)
    verdict = page.locator("#verdict")
    verdict.get_by_text("2 problems").wait_for()
    assert f"line 113 (id '{HOSTILE_NAME}'): no such study" in verdict.inner_text()
    assert "id 'study-001': no prediction for this study" in verdict.inner_text()
    assert page.locator("#submit-button").is_disabled()
    assert page.evaluate("window.hacked") is None
    shoot(page, "leaderboard_wrong_file")


@pytest.mark.parametrize(("width", "name"), [(1280, "A valid system"), (390, HOSTILE_NAME)])
def test_a_submission_appears_and_nothing_in_it_runs(width, name, visit, shoot, tmp_path):
    page = opened(visit, width)
    page.get_by_role("tab", name="Submit").click()
    file = submission(tmp_path / "mine.jsonl", name, HOSTILE_TEXT if name == HOSTILE_NAME else None)
    page.locator("#submission input[type=file]").set_input_files(file)
    page.locator("#verdict").get_by_text("The file is valid: 112 predictions").wait_for()
    page.locator("#submit-button:not([disabled])").wait_for()

    # by keyboard: the button is reached with Tab and pressed with Enter
    page.locator("#submission button").first.focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "submit-button":
            break
    page.keyboard.press("Enter")
    page.locator("#verdict").get_by_text("Submitted and scored").wait_for(timeout=60_000)
    assert name in page.locator("#verdict").inner_text()
    page.get_by_role("tab", name="Systems").click()
    page.locator("#about-system .facts").get_by_text(name).wait_for()
    if name == HOSTILE_NAME:
        assert HOSTILE_TEXT in page.locator("#cases .report").first.inner_text()
    page.get_by_role("tab", name="Ranking").click()
    page.locator("#ranking-table [role=gridcell]").get_by_text(name).wait_for()
    assert name in page.locator("#plot").inner_text()
    assert page.evaluate("window.hacked") is None
    shoot(page, f"leaderboard_submitted_{width}")


def test_every_tab_fits_a_phone(visit, fits, shoot):
    page = opened(visit, 390)
    for tab in ("Systems", "Submit", "Method", "Ranking"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(300)
        assert fits(page), tab
        shoot(page, f"leaderboard_{tab.lower()}_phone")
