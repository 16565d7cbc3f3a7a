"""Take the pictures of the README and the documentation from the real pages.

    python tools/take_screenshots.py
    python tools/take_screenshots.py --out FOLDER

Needs the extras `all` and `test`, and Chromium on the PATH or named by RADEVAL_CHROMIUM.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import tempfile
import threading
import time
from pathlib import Path

import uvicorn
from playwright.sync_api import Page, sync_playwright

from radeval_core.ui.serve_all import together

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = (
    "Moderate left pleural effusion, increased since the prior study. Nodule of 8 mm in the right upper lobe. "
    "The heart is mildly enlarged. Endotracheal tube in good position."
)
CANDIDATE = (
    "Small right pleural effusion. Patchy opacity in the left lower lobe. The cardiac silhouette is mildly enlarged. "
    "Endotracheal tube in good position."
)


def serve() -> str:
    """Serve every Space from this process and return the address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(together(ROOT / "spaces"), log_level="error"))
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def marked_report(page: Page, address: str, path: Path) -> None:
    """Picture GREEN's page: the score, the formula and the marked-up report."""
    page.goto(f"{address}/green/")
    page.locator("#reference textarea").fill(REFERENCE)
    page.locator("#candidate textarea").fill(CANDIDATE)
    page.locator("#score").click()
    page.locator("#view .rs-mark", has_text="Nodule").first.wait_for()
    page.wait_for_timeout(1500)  # the page stops moving
    top = page.locator("#result").bounding_box()
    table = page.locator("#view table").first.bounding_box()
    assert top and table
    clip = {"x": top["x"] - 10, "y": top["y"] - 10, "width": top["width"] + 20, "height": table["y"] - top["y"] + 14}
    page.screenshot(path=path, full_page=True, clip=clip)


def main() -> None:
    """Serve the pages, open them and write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images", help="folder to write to")
    args = parser.parse_args()
    os.environ["GRADIO_TEMP_DIR"] = tempfile.mkdtemp()
    address = serve()
    with sync_playwright() as playwright:
        chromium = os.environ.get("RADEVAL_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        size = {"width": 1180, "height": 1400}
        page = browser.new_context(viewport=size, device_scale_factor=1.5, color_scheme="light").new_page()
        marked_report(page, address, args.out / "marked_report.png")
        browser.close()


if __name__ == "__main__":
    main()
