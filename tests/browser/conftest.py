"""Fixtures for browser tests: `spaces_url` serves all Spaces, `visit` opens a page in Chromium and monitors it.

A test fails if its page logs or throws an error, gets an error response, or sends a request to another host.
"""

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = Path(__file__).parent / "screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = (
    "the browser tests need Chromium, and none was found. On Debian or Ubuntu type `apt-get install chromium`; "
    "elsewhere install Chromium or Chrome and, if it is not on the PATH, set RADEVAL_CHROMIUM to its path"
)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of the browser; fail, not skip, if there is none."""
    found = os.environ.get("RADEVAL_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.fail(NO_BROWSER, pytrace=False)
    return found


@pytest.fixture(scope="session")
def spaces_url(tmp_path_factory):
    """Serve all Spaces and yield their address, without a slash at the end."""
    from radeval_core.ui.serve_all import together

    before = os.environ.get("GRADIO_TEMP_DIR")
    os.environ["GRADIO_TEMP_DIR"] = str(tmp_path_factory.mktemp("gradio"))
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(together(ROOT / "spaces"), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.05)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=20)
    os.environ.pop("GRADIO_TEMP_DIR")
    if before is not None:
        os.environ["GRADIO_TEMP_DIR"] = before


@pytest.fixture(scope="module")
def browser(chromium):
    """Start one browser per module: Playwright runs an event loop that would disturb other tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


def watch(page: Page, own: str, wrong: list[str]) -> None:
    """Add to `wrong` what goes wrong on a page: errors, error responses, and requests that do not start with `own`."""
    page.on("console", lambda message: wrong.append(f"console: {message.text}") if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("response", lambda answer: wrong.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
    page.on("request", lambda asked: wrong.append(f"asked {asked.url}") if _is_foreign(asked.url, own) else None)


@pytest.fixture
def visit(browser: Browser, spaces_url: str):
    """Return a function that opens a page at a given width, of the Spaces or of another server.

    The test fails if anything on the page goes wrong.
    """
    pages: list[Page] = []
    wrong: list[str] = []

    def open_page(path: str, width: int = 1280, server: str = spaces_url) -> Page:
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        page.set_default_timeout(30_000)
        watch(page, server, wrong)
        page.goto(f"{server}/{path}")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert not wrong, wrong


@pytest.fixture
def open_file(browser: Browser):
    """Return a function that opens a file without a server; fail the test if anything on the page goes wrong."""
    pages: list[Page] = []
    wrong: list[str] = []

    def open_page(file: Path, width: int = 1280, scheme: Literal["light", "dark"] = "light") -> Page:
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.set_default_timeout(30_000)
        watch(page, file.as_uri(), wrong)
        page.goto(file.as_uri())
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.context.close()
    assert not wrong, wrong


@pytest.fixture(scope="session")
def shoot() -> Callable[[Page, str], None]:
    """Return a function that saves a screenshot of a whole page for people to look at."""
    SCREENSHOTS.mkdir(exist_ok=True)

    def take(page: Page, name: str) -> None:
        page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)

    return take


@pytest.fixture(scope="session")
def fits() -> Callable[[Page], bool]:
    """Return a function that tells if a page fits 390 pixels, the width of a phone, without sideways scrolling."""

    def narrow(page: Page) -> bool:
        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_timeout(150)
        return int(page.evaluate("document.documentElement.scrollWidth")) <= 390

    return narrow


def _is_foreign(url: str, own: str) -> bool:
    return not url.startswith((own, "data:", "blob:", "about:"))
