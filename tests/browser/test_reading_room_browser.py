"""The reading room in a browser: two cases with the keyboard alone, autosave, blinding, the owner's view, a phone."""

import json
import socket
import threading
import time
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Page, expect

from conftest import watch
from radeval_core.reading.cases import read_rows
from radeval_core.reading.export import export_rows, finished_readings
from radeval_core.reading.study import create_study

AUDIT = (Path(__file__).parent / "audit.js").read_text("utf-8")
HOSTILE = '<img src=x onerror="window.hacked=1"> {{1+1}} <script>window.hacked=2</script>'
REFERENCE = "Small left pleural effusion. The heart is normal in size."
PAIRS = [
    {
        "id": f"{study}-{model}",
        "study": study,
        "candidate": model,
        "prediction": f"Small right pleural effusion. The heart is large. Written by {wording}.",
        "reference": REFERENCE,
        "age": "70 years",
        "indication": HOSTILE,
    }
    for study in ("s1", "s2")
    for model, wording in (("secret-model-x", "nobody"), ("secret-model-y", HOSTILE))
]


class Room:
    """A study that is served by this process on one port, and can be stopped and started again."""

    def __init__(self, folder: Path, pairs=PAIRS, asked=None) -> None:
        (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pairs), "utf-8")
        options = {"asked": asked} if asked else {}
        self.study, token = create_study(folder / "store", read_rows(folder / "pairs.jsonl"), **options)
        self.secrets = {"owner": token} | {name: self.study.add_reader(name, seed=1) for name in ("anna", "bo")}
        self.port = 0
        self.start()

    def start(self) -> None:
        from radeval_core.ui.reading_room.app import build_app

        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(build_app(self.study), log_level="error", timeout_graceful_shutdown=1)
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()
        while not self.server.started and self.thread.is_alive():
            time.sleep(0.02)
        self.listener = listener

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)
        self.listener.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self, name: str) -> str:
        return f"{self.url}/#{name}.{self.secrets[name]}"

    def latest(self, name: str) -> list[dict]:
        return [entry["reading"] for entry in self.study.journal(name).readable().latest.values()]


@pytest.fixture
def room(tmp_path):
    made = Room(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def open_room(browser):
    """Return a function that opens a link at a width; fail the test if anything on the page goes wrong."""
    pages: list[Page] = []
    wrong: list[str] = []

    def open_page(room: Room, name: str, width: int = 1440, scheme="light") -> Page:
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.set_default_timeout(20_000)
        watch(page, room.url, wrong)
        page.goto(room.link(name))
        page.locator(".sheet, .owner, .message").first.wait_for()
        pages.append(page)
        return page

    open_page.wrong = wrong
    yield open_page
    hacked = [page.evaluate("window.hacked") for page in pages]
    for page in pages:
        page.context.close()
    assert not any(hacked)
    assert not wrong, wrong


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_text("All changes saved")


def test_two_cases_are_read_with_the_keyboard_alone(room, open_room, shoot):
    page = open_room(room, "anna")
    expect(page.locator("#where")).to_contain_text("Case 1 of 2")
    expect(page.locator(".reference .report")).to_have_text(REFERENCE)
    # candidate A: two errors, a rating, a rewritten and a deleted line, an inserted one with a reason
    press(page, "c", "c", "Shift+B", "1", "l", "r")
    page.keyboard.press("Control+A")
    page.keyboard.type("Small left pleural effusion.")
    press(page, "Enter", "3", "ArrowDown", "Delete", "2", "i")
    page.keyboard.type("Heart of normal size.")
    press(page, "Enter", "1", "t")
    page.keyboard.type("left out")
    press(page, "Enter", "Escape")
    # candidate B, preference, comment
    press(page, "x", "a", "4", "9", "+", "+", "m")
    page.keyboard.type("B is closer, 5 of 5 times.")
    saved(page)
    shoot(page, "reading_room_case")
    press(page, "Escape", "Enter")
    expect(page.locator("#where")).to_contain_text("Case 2 of 2")
    expect(page.locator("#where")).to_contain_text("1 finished")

    # the second case: what is missing is said, and the focus goes there
    press(page, "Enter")
    expect(page.locator("#missing")).to_have_text(
        "Still missing: the rating of A, the rating of B, the preference, how sure you are of it."
    )
    expect(page.locator(".candidate").first.locator("input[name=rating-0]").first).to_be_focused()
    press(page, "Escape", "5", "x", "5", "8", "-", "Enter")
    expect(page.locator("#farewell")).to_contain_text("All cases are finished")
    before = room.study.journal("anna").readable().last
    press(page, "0", "a", "u")  # no case is shown, so keys change none
    press(page, "o", "Enter")
    expect(page.locator("#where")).to_contain_text("Case 1 of 2 ✓")
    assert room.study.journal("anna").readable().last == before

    export = export_rows(finished_readings(room.study))
    reading = next(r for r in room.latest("anna") if r["comment"])
    first = next(c for c in reading["candidates"] if c["corrections"])
    second = next(c for c in reading["candidates"] if not c["corrections"])
    assert first["errors"] == {
        "wrong_location": {"significant": 2, "insignificant": 0},
        "missing_finding": {"significant": 0, "insignificant": 1},
    }
    assert [(c["line"], c["action"], c["corrected"], c["rating"], c["comment"]) for c in first["corrections"]] == [
        (0, "rewrite", "Small left pleural effusion.", "Urgent error", ""),
        (1, "delete", "", "Actionable nonurgent error", ""),
        (None, "insert", "Heart of normal size.", "Not actionable", "left out"),
    ]
    assert (first["rating"], second["rating"]) == (1, 4)
    assert reading["preferred"] == reading["candidates"].index(second) and reading["confidence"] == 4
    assert reading["comment"] == "B is closer, 5 of 5 times."
    assert len(export.rated) == 4 and len(export.corrections) == 4


def test_undo_and_redo(room, open_room):
    page = open_room(room, "anna")
    count = page.get_by_label("Wrong location, significant", exact=True).first
    press(page, "c", "c", "c", "u")
    expect(count).to_have_value("2")
    press(page, "Control+Z", "Shift+U")
    expect(count).to_have_value("2")
    press(page, "3", "u")
    expect(page.locator("input[name=rating-0]:checked")).to_have_count(0)
    press(page, "l", "Delete")
    expect(page.locator(".lines del")).to_have_count(1)
    press(page, "u")
    expect(page.locator(".lines del")).to_have_count(0)
    saved(page)
    assert room.latest("anna")[0]["candidates"] != []


def test_every_change_is_saved_and_there_after_a_reload(room, open_room):
    page = open_room(room, "anna")
    press(page, "n")
    expect(page.locator("#where")).to_contain_text("Case 2 of 2")  # words typed before a case is shown are not kept
    press(page, "b", "2", "m")
    page.keyboard.type("half a sen")
    saved(page)
    page.reload()
    expect(page.locator("#where")).to_contain_text("Case 2 of 2")
    expect(page.locator("#comment")).to_have_value("half a sen")
    expect(page.get_by_label("Missing finding, significant", exact=True).first).to_have_value("1")
    expect(page.locator("input[name=rating-0]").nth(2)).to_be_checked()


def test_changes_made_while_the_server_is_away_are_saved_when_it_is_back(room, open_room):
    page = open_room(room, "anna")
    press(page, "1")
    saved(page)
    room.stop()
    press(page, "4", "d", "d")
    expect(page.locator("#saved")).to_contain_text("Not saved yet: the server does not answer")
    room.start()
    saved(page)
    reading = room.latest("anna")[0]
    shown = room.study.reader("anna").order.candidates_of(room.study.cases[room.study.reader("anna").order.cases[0]])
    candidate = reading["candidates"][shown[0]]
    assert candidate["rating"] == 4 and candidate["errors"]["wrong_severity"]["significant"] == 2
    open_room.wrong[:] = [text for text in open_room.wrong if "ERR_CONNECTION_REFUSED" not in text]


def test_two_windows_of_a_reader_do_not_overwrite_each_other(room, open_room):
    first, second = open_room(room, "anna"), open_room(room, "anna")
    press(first, "5")
    saved(first)
    press(second, "0")
    expect(second.locator("#saved")).to_contain_text("changed in another window")
    expect(second.locator("input[name=rating-0]").nth(5)).to_be_checked()
    press(second, "3")
    saved(second)
    open_room.wrong[:] = [text for text in open_room.wrong if "409" not in text]


def test_readers_are_blind_to_systems_and_to_each_other(room, open_room):
    anna, bo = open_room(room, "anna"), open_room(room, "bo")
    press(anna, "c", "2", "m")
    anna.keyboard.type("only mine")
    saved(anna)
    bo.reload()
    bo.locator(".sheet").wait_for()
    for page in (anna, bo):
        for position in (1, 2):
            text = page.content()
            assert "secret-model" not in text and "s1-" not in text, position
            page.keyboard.press("Escape")
            page.keyboard.press("n")
    assert "only mine" not in bo.content()
    expect(bo.locator("#where")).to_contain_text("0 finished")


def test_a_wrong_link_is_refused(room, open_room):
    room.secrets["anna"] = room.secrets["bo"]
    page = open_room(room, "anna")
    expect(page.get_by_role("alert")).to_have_text("this link is not valid: ask the owner of the study for a new one")
    open_room.wrong[:] = [text for text in open_room.wrong if "401" not in text]


def test_the_owner_sees_progress_and_agreement_and_adds_a_reader(room, open_room, shoot, tmp_path):
    for name in ("anna", "bo"):
        page = open_room(room, name)
        press(page, *["2", "c", "x", "4", "9", "+", "Enter"] * 2)
        expect(page.locator("#farewell")).to_be_visible()
    page = open_room(room, "owner")
    expect(page.get_by_role("region", name="Readers")).to_contain_text("anna2 of 2")
    agreement = page.get_by_role("region", name="Intraclass correlation")
    expect(agreement).to_contain_text("Rating")
    expect(page.get_by_role("region", name="Kendall's tau: Rating")).to_be_visible()
    assert "only" not in page.locator("table").first.inner_text()
    page.get_by_label("Name of a reader").fill("cy")
    page.keyboard.press("Enter")
    link = page.locator("#new-link code").inner_text()
    assert link.startswith(f"{room.url}/#cy.")
    with page.expect_download() as download:
        page.get_by_role("button", name="Ratings and errors").click()
    download.value.save_as(tmp_path / "rated.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rated.jsonl").read_text().splitlines()]
    assert len(rows) == 4 and all(len(row["expert"]["rating"]) == 2 for row in rows)
    shoot(page, "reading_room_owner")
    room.secrets["cy"] = link.rpartition(".")[2]
    expect(open_room(room, "cy").locator("#where")).to_contain_text("Case 1 of 2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("who", ["anna", "owner"])
def test_pages_are_readable_and_fit_a_phone(who, scheme, room, open_room, shoot, fits):
    page = open_room(room, who, scheme=scheme)
    if who == "anna":
        press(page, "c", "2", "l", "Delete", "4", "ArrowDown", "r")
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        assert page.evaluate(AUDIT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shoot(page, f"reading_room_{who}_{scheme}_{width}")
    assert fits(page)
    assert page.evaluate(AUDIT) == []
    shoot(page, f"reading_room_{who}_{scheme}_390")


def test_focus_is_visible_and_the_keys_are_shown(room, open_room):
    page = open_room(room, "anna")
    expect(page.locator("#keys")).to_contain_text("finish")
    for _ in range(6):
        page.keyboard.press("Tab")
        styles = page.evaluate(
            "() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " const n = e.nextElementSibling && getComputedStyle(e.nextElementSibling);"
            " return [s.outlineStyle, n ? n.outlineStyle : 'none'] }"
        )
        assert "solid" in styles, page.evaluate("document.activeElement.outerHTML")
    press(page, "Escape", "l")
    expect(page.locator("#keys")).to_contain_text("leave the lines")
    press(page, "Escape", "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    press(page, "Escape", "o", "ArrowRight", "Enter")
    expect(page.locator("#where")).to_contain_text("Case 2 of 2")


def test_a_study_of_single_candidates_asks_only_what_it_should(tmp_path, open_room):
    room = Room(tmp_path, PAIRS[:1] + PAIRS[2:3], ("errors",))
    try:
        page = open_room(room, "anna")
        assert page.locator(".candidate").count() == 1
        assert page.locator(".choices, .lines, #comment").count() == 0
        press(page, "f", "Enter")
        expect(page.locator("#where")).to_contain_text("Case 2 of 2")
        press(page, "7", "x", "l", "m", "3", "Enter")  # not asked for: nothing happens
        expect(page.locator("#farewell")).to_be_visible()
        assert sorted(r["candidates"][0]["rating"] is None for r in room.latest("anna")) == [True, True]
    finally:
        room.stop()


def test_the_demo_of_the_space_opens_for_everybody(visit):
    page = visit("reading_room/")
    page.get_by_role("button", name="See what the owner sees").click()
    page.get_by_role("heading", name="Progress").wait_for()
    page.reload()
    page.get_by_role("button", name="Read as a visitor").click()
    page.locator(".sheet").wait_for()
    press(page, "2")
    saved(page)
