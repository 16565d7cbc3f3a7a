"""The leaderboard in a browser: rank, filter, save, share, compare, submit, and submit hostile text."""

import csv
import json
import re
import runpy
import threading
from pathlib import Path

import pytest

from radeval_core.leaderboard.benchmark import load_benchmark

YARDSTICKS = ["Noisy reference (sees the answer)", "Nearest neighbour", "Template normal report"]
SYSTEMS = ["Careful writer", "Hasty writer", "Always normal"]
#: at most 60 characters; each part would set window.hacked if it ran
HOSTILE_NAME = "<img src=x onerror=window.hacked=1> **b** ${window.hacked=2}"
HOSTILE_TEXT = (
    '<script>window.hacked = 3</script><img src=x onerror="window.hacked = 4"> [x](javascript:window.hacked=5) '
    '{{constructor.constructor("window.hacked = 6")()}} Small left pleural effusion.'
)
SMALL = runpy.run_path(str(Path(__file__).parents[1] / "leaderboard" / "small_benchmark.py"))


def serve(store, benchmark):
    """Serve a board of its own and return the page and its address."""
    from radeval_core.ui.demo import launch
    from radeval_core.ui.leaderboard.page import build_leaderboard, leaderboard_options

    demo = build_leaderboard(store, benchmark)
    options = {**leaderboard_options(), "prevent_thread_lock": True, "quiet": True, "server_name": "127.0.0.1"}
    return demo, launch(demo, **options)[1].rstrip("/")


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """Serve a board with three systems and an oracle, whose owner lets pages show the references."""
    from radeval_core.leaderboard.queue import score_waiting
    from radeval_core.leaderboard.store import open_store
    from radeval_core.leaderboard.submission import check_submission

    folder = tmp_path_factory.mktemp("board")
    references, rows, jsonl = SMALL["REFERENCES"], SMALL["rows"], SMALL["jsonl"]
    benchmark = SMALL["write_benchmark"](folder / "small", show_references=True, facets=["length", "normality"])
    store = open_store(folder / "store")
    careful = {**references, "s5": "Moderate left apical pneumothorax."}
    hasty = {**references, "s1": "Clear.", "s3": "No consolidation.", "s4": "Nodule of 8 mm in the right upper lobe."}
    for data in (
        jsonl(rows(**careful), name=SYSTEMS[0]),
        jsonl(rows(**hasty), name=SYSTEMS[1], link="https://models.example.net/hasty"),
        jsonl(rows(), name=SYSTEMS[2]),
        jsonl(rows(**references), name="Copy of the answer", kind="oracle"),
    ):
        store.submit(check_submission(data, benchmark), benchmark, "2026-01-01T00:00:00+00:00")
    score_waiting(store, benchmark)
    demo, url = serve(store, benchmark)
    yield url
    demo.close(verbose=False)


def submission(path, name, prediction=None, skip=0, extra=()):
    """Write a file of predictions: those of the template baseline, or one text for every study."""
    template = next(p for p in load_benchmark().baselines if p.stem == "template")
    rows = [json.loads(line) for line in template.read_text("utf-8").splitlines()][1:]
    system = {"name": name, "link": "https://example.org/model", "training_data": name}
    if prediction:
        rows = [{**row, "prediction": prediction} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in [{"system": system}, *rows[skip:], *extra]), "utf-8")
    return path


def names(page, place="#ranking-table"):
    """Return the names of the visible systems in the order of the table."""
    return page.locator(f"{place} tr[data-values]:visible .lb-name > a:first-child").all_inner_texts()


def opened(visit, width=1280):
    page = visit("leaderboard/", width)
    page.get_by_role("link", name="Template normal report").wait_for(timeout=90_000)
    return page


def ready(page):
    """Wait for the table of the small board."""
    page.locator("#ranking-table .lb-name", has_text=SYSTEMS[0]).wait_for(state="attached")
    page.wait_for_function("!document.querySelector('.lb-stale')")
    return page


def choose(page, label, option):
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option).first.click()


def ranked_by(page, metric):
    page.locator("#ranking-table th.lb-by", has_text=metric).wait_for()
    page.wait_for_function("!document.querySelector('.lb-stale')")


def test_systems_are_ranked_and_yardsticks_stand_apart(visit, board, shoot):
    page = ready(visit("", server=board))
    assert names(page) == [*SYSTEMS, "Copy of the answer"]
    assert names(page, ".lb-apart") == ["Copy of the answer"]
    assert page.locator(".lb-apart .lb-kind").inner_text() == "oracle: saw the answer"
    best = page.locator("tbody").first.locator("tr").first.locator("td.lb-by strong")
    assert re.fullmatch(r"0\.\d{3}", best.inner_text()), "the best score is bold, and the oracle's is not"
    assert page.locator(".lb-apart strong").count() == 0
    link = page.get_by_role("link", name="models.example.net")
    assert link.get_attribute("href") == "https://models.example.net/hasty"
    assert {"noopener", "nofollow"} <= set(link.get_attribute("rel").split())
    assert page.locator("#plot svg").count() == 4
    page.get_by_text("How to cite this board").click()
    assert "@misc{radeval_board_small" in page.locator("#cite pre").first.inner_text()
    shoot(page, "leaderboard_desktop")


def test_a_header_ranks_by_its_metric_and_keeps_the_focus(visit, board):
    page = ready(visit("", server=board))
    button = page.get_by_role("button", name="fineradscore")
    button.focus()
    page.keyboard.press("Enter")
    ranked_by(page, "fineradscore")
    head = page.locator("#ranking-table thead th").nth(2)
    assert (head.get_attribute("aria-sort"), head.inner_text().split()[0]) == ("ascending", "fineradscore")
    page.wait_for_function("document.activeElement.textContent.startsWith('fineradscore')")
    assert page.evaluate("location.hash") == "#tab=ranking&metric=fineradscore"
    page.go_back()
    ranked_by(page, "green")
    choose(page, "Rank by", "bleu")
    ranked_by(page, "bleu")


def test_a_part_of_the_studies_has_its_own_numbers_and_can_be_linked(visit, board):
    page = ready(visit("", server=board))
    whole = page.locator("td.lb-by").first.inner_text()
    choose(page, "Studies", "normality: abnormal")
    page.locator(".lb-part", has_text="normality: abnormal").wait_for()
    part = page.locator("td.lb-by").first.inner_text()
    assert part != whole and "of 6 studies" in page.locator(".lb-part").inner_text()
    page.wait_for_function("location.hash.includes('part')")
    page.locator("#lb-share").click()
    link = page.locator("#lb-link").input_value()
    assert link == f"{board}/#tab=ranking&metric=green&part=normality:abnormal"
    other = ready(visit(link.removeprefix(f"{board}/"), server=board))
    assert other.locator("td.lb-by").first.inner_text() == part


def test_a_filter_and_the_file_of_what_is_shown(visit, board):
    page = ready(visit("", server=board))
    page.locator("#lb-find").fill("WRITER hasty")
    assert names(page) == [SYSTEMS[1]] and page.locator("#lb-status").inner_text() == "1 of 4 shown"
    with page.expect_download() as download:
        page.locator("#lb-csv").click()
    assert download.value.suggested_filename == "small_green.csv"
    with Path(download.value.path()).open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["system"] == SYSTEMS[1] and row["kind"] == "system"
    assert float(row["green low"]) <= float(row["green"]) <= float(row["green high"])
    page.locator("#lb-find").fill("nobody")
    page.get_by_text("No system matches this filter.").wait_for()
    page.get_by_role("button", name="Show all").click()
    assert len(names(page)) == 4 and page.evaluate("document.activeElement.id") == "lb-find"


def test_a_system_shows_its_result_and_its_marked_up_cases(visit, board, shoot):
    page = ready(visit("", server=board))
    page.get_by_role("link", name=SYSTEMS[1]).click()
    about = page.locator("#about-system")
    about.get_by_text("rank 1 of 3 systems").wait_for()
    text = about.inner_text()
    assert f"Next better, rank 1: {SYSTEMS[0]}" in text and f"Next worse, rank 1: {SYSTEMS[2]}" in text
    assert "no significant difference" in text and "wrong location" in text
    assert page.locator("#cases .rs-plain", has_text="Nodule of 8 mm in the left upper lobe.").count() == 1
    assert page.locator("#cases .rs-mark").count() > 2
    shoot(page, "leaderboard_system")
    address = page.evaluate("location.hash")
    assert re.fullmatch("#tab=systems&system=[0-9a-f]{12}", address)
    again = ready(visit(address, server=board))
    again.locator("#about-system .lb-big", has_text=SYSTEMS[1]).wait_for()
    choose(again, "Worst cases by", "wrong location")
    again.wait_for_function("document.querySelectorAll('#cases section').length === 1")
    assert "1 × wrong location" in again.locator("#cases section").inner_text()


def test_two_systems_are_compared_on_their_studies(visit, board, fits, shoot):
    page = ready(visit("#tab=compare", server=board))
    compared = page.locator("#compared")
    compared.locator(".lb-big", has_text=SYSTEMS[0]).wait_for()
    choose(page, "System B", SYSTEMS[2])
    compared.locator(".lb-big", has_text=SYSTEMS[2]).wait_for()
    rows = compared.locator("table").first.locator("tbody tr").all_inner_texts()
    assert len(rows) == 3 and all(re.search("p [=<] ", row) for row in rows) and re.search(r"\+0\.\d{3}", rows[0])
    case = compared.locator("section").first
    assert case.locator(".report").count() == 1, "the reference, above both sheets"
    assert case.locator(".rs-page").count() == 2 and case.locator(".rs-mark").count() >= 1
    choose(page, "System B", SYSTEMS[0])
    page.get_by_text("Choose two different systems.").wait_for()
    choose(page, "System B", SYSTEMS[1])
    compared.locator(".lb-big", has_text=SYSTEMS[1]).wait_for()
    page.wait_for_function("location.hash.startsWith('#tab=compare&a=')")
    shoot(page, "leaderboard_compare")
    assert fits(page)
    again = ready(visit(page.evaluate("location.hash"), server=board))
    again.locator("#compared .lb-big", has_text=SYSTEMS[1]).wait_for()


def test_visitors_of_a_new_board_share_one_scoring_and_see_how_far_it_is(visit, tmp_path, monkeypatch, shoot):
    from radeval_core.leaderboard import baselines
    from radeval_core.leaderboard.store import open_store
    from radeval_core.ui.leaderboard import seeding

    benchmark = SMALL["write_benchmark"](tmp_path / "small", kinds={"First": "baseline"})
    (tmp_path / "small" / "baselines").mkdir()
    (tmp_path / "small" / "baselines" / "one.jsonl").write_bytes(SMALL["jsonl"](name="First"))
    go_on, calls = threading.Event(), []

    def slowly(store, given, on_progress):
        calls.append(1)
        on_progress(4, 6)
        go_on.wait(30)
        return baselines.seed(store, given, on_progress=on_progress)

    monkeypatch.setattr(seeding, "seed", slowly)
    demo, url = serve(open_store(tmp_path / "store"), benchmark)
    try:
        pages = [visit("", server=url) for _ in range(2)]
        for page in pages:
            page.get_by_text("Scoring the baselines of Small: 1 of 1, report 4 of 6").wait_for()
            assert page.get_by_role("progressbar").get_attribute("value") == "4"
        shoot(pages[0], "leaderboard_new")
        go_on.set()
        for page in pages:
            page.get_by_role("link", name="First").wait_for()
            page.get_by_text("No system has been submitted yet").wait_for()
        assert calls == [1]
    finally:
        go_on.set()
        demo.close(verbose=False)


def test_the_demo_shows_its_invented_references_as_marked_up_cases(visit):
    page = opened(visit)
    assert [name for name in names(page, ".lb-apart") if name in YARDSTICKS] == YARDSTICKS
    page.get_by_role("link", name="Nearest neighbour").click()
    page.locator("#about-system .lb-big", has_text="Nearest neighbour").wait_for()
    choose(page, "Worst cases by", "wrong location")
    page.locator("#cases b", has_text="wrong location").first.wait_for()
    assert page.locator("#cases .rs-page").count() == 10, "the reference and the report of five studies"
    page.get_by_role("tab", name="Compare").click()
    page.locator("#compared section").first.wait_for()
    assert page.locator("#compared .rs-page").count() == 10, "two reports of five studies"
    shown = page.locator("#compared").inner_text()
    assert sum(study.reference in shown for study in load_benchmark().studies.values()) == 5
    page.get_by_role("tab", name="Method").click()
    page.get_by_text("What a rank means").wait_for()


def test_problems_of_a_wrong_file_are_listed_and_it_cannot_be_submitted(visit, shoot, tmp_path):
    page = opened(visit)
    page.get_by_role("tab", name="Submit").click()
    wrong = submission(tmp_path / "w.jsonl", "Wrong", skip=50, extra=[{"id": HOSTILE_NAME, "prediction": "x"}])
    page.locator("#submission input[type=file]").set_input_files(wrong)
    verdict = page.locator("#verdict")
    verdict.get_by_text("2 problems").wait_for()
    assert f"line 64 (id '{HOSTILE_NAME}'): no such study" in verdict.inner_text()
    assert "50 predictions are missing: study-001, " in verdict.inner_text()
    assert verdict.locator("li").count() == 2, "fifty missing studies are one problem"
    assert page.locator("#submit-button").is_disabled()
    assert page.evaluate("window.hacked") is None
    shoot(page, "leaderboard_wrong_file")


@pytest.mark.parametrize(("width", "name"), [(1280, "A valid system"), (390, HOSTILE_NAME)])
def test_a_submission_gets_a_result_page_and_nothing_in_it_runs(width, name, visit, shoot, tmp_path):
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
    result = page.locator("#result")
    result.locator(".lb-big", has_text=name).wait_for()
    assert re.search(r"By green: rank \d of \d system", result.inner_text())
    shoot(page, f"leaderboard_submitted_{width}")
    result.get_by_role("link", name="link to this result").click()
    page.locator("#about-system .lb-big").get_by_text(name).wait_for()
    if name == HOSTILE_NAME:
        report = page.locator("#cases .rs-page").nth(1).inner_text()
        assert "hacked = 3</script><img src=x" in report
    page.get_by_role("tab", name="Ranking").click()
    page.locator("#ranking-table .lb-name").get_by_text(name).wait_for()
    assert name in page.locator("#plot").inner_text()
    assert page.evaluate("window.hacked") is None


def test_every_tab_fits_a_phone(visit, fits, shoot):
    page = opened(visit, 390)
    for tab in ("Systems", "Compare", "Submit", "Method", "Ranking"):
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(300)
        assert fits(page), tab
        shoot(page, f"leaderboard_{tab.lower()}_phone")
    region = page.locator(".lb-scroll")
    name = page.locator(".lb-apart .lb-name").first
    before = name.bounding_box()["x"]
    region.focus()
    page.keyboard.press("End")
    region.evaluate("(element) => { element.scrollLeft = 500; }")
    assert name.bounding_box()["x"] <= before and name.is_visible(), "the name stays in view"
