"""Send many requests to a page and check that its memory stays flat and that it leaves no file behind.

    python tools/soak_spaces.py
    python tools/soak_spaces.py green --requests 2000

The page runs in a process of its own, without the limit per visitor. Most requests score a new pair; some upload a file
and score it, upload a file with a wrong ending, or name a file that was not uploaded. The tool prints the resident
memory after each tenth. It fails if an answer is not the expected one, if a file with content is left in the upload
folder, or if memory grows by more than `--growth` MB in the second half. In the first half, Gradio's bounded caches of
sessions and events fill.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
WORDS = ("small", "large", "left", "right", "pleural", "effusion", "nodule", "normal", "heart", "lungs", "zebra")


def report(rng: random.Random) -> str:
    """Return an invented report that was probably never sent before."""
    return " ".join(rng.choices(WORDS, k=rng.randint(5, 60))).capitalize() + "."


def memory(process: int) -> float:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def start(name: str, uploads: Path) -> tuple[subprocess.Popen, str]:
    """Start the page and wait until it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"GRADIO_TEMP_DIR": str(uploads), "RADEVAL_VISITOR_RATE": "0"}
    command = [sys.executable, str(ROOT / "spaces" / "serve.py"), name, "--port", str(port)]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            httpx.get(f"http://127.0.0.1:{port}/", timeout=5).raise_for_status()
            return server, f"http://127.0.0.1:{port}/gradio_api"
        except httpx.HTTPError:
            time.sleep(0.2)
    server.terminate()
    raise SystemExit(f"the page did not start; to see why: python spaces/serve.py {name}")


def call(client: httpx.Client, url: str, api: str, data: list) -> str:
    """Call an endpoint; return `complete`, `error`, or the status of a refused call."""
    asked = client.post(f"{url}/call/{api}", json={"data": data})
    if asked.status_code != 200:
        return str(asked.status_code)
    answer = client.get(f"{url}/call/{api}/{asked.json()['event_id']}").text
    return "complete" if "event: complete" in answer else "error"


def request(client: httpx.Client, url: str, number: int) -> str:
    """Send request `number`; return a description of a wrong answer, or an empty text."""
    rng = random.Random(number)
    one, other = report(rng), report(rng)
    if number % 100 == 0:
        forged = {"path": str(ROOT / "examples" / "pairs.jsonl"), "meta": {"_type": "gradio.FileData"}}
        found, expected = call(client, url, "score_file", [forged, "embedded"]), "403"
    elif number % 50 in (10, 20):
        ending, expected = (".jsonl", "complete") if number % 50 == 10 else (".txt", "error")
        row = json.dumps({"prediction": one, "reference": other}).encode()
        (path,) = client.post(f"{url}/upload", files={"files": (f"mine{ending}", row)}).json()
        data = {"path": path, "meta": {"_type": "gradio.FileData"}}
        found = call(client, url, "score_file", [data, "embedded"])
    else:
        found, expected = call(client, url, "score", [one, other, "embedded"]), "complete"
    return "" if found == expected else f"request {number}: expected {expected}, got {found}"


def main() -> int:
    """Run the soak and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="bleu", help="a metric (default: bleu)")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument(
        "--growth", type=float, default=10.0, help="MB that memory may grow in the second half (default: 10)"
    )
    options = parser.parse_args()
    wrong, sizes = [], []
    with tempfile.TemporaryDirectory() as folder:
        server, url = start(options.name, Path(folder))
        try:
            with (
                httpx.Client(timeout=120) as client,
                ThreadPoolExecutor(4) as pool,
                tqdm(total=options.requests, disable=None) as bar,
            ):
                step = max(1, options.requests // 10)
                for first in range(1, options.requests + 1, step):
                    numbers = range(first, min(first + step, options.requests + 1))
                    for problem in pool.map(lambda n: request(client, url, n), numbers):
                        wrong.extend([problem] if problem else [])
                        bar.update()
                    sizes.append(memory(server.pid))
            left = [path for path in Path(folder).rglob("*") if path.is_file() and path.stat().st_size]
        finally:
            server.terminate()
            server.wait()
    growth = sizes[-1] - sizes[len(sizes) // 2 - 1]
    print(f"{options.name}: {options.requests} requests, {len(wrong)} wrong answers, {len(left)} files left")
    print("MB after each tenth: " + " ".join(f"{size:.0f}" for size in sizes) + f"; second half {growth:+.1f} MB")
    print("\n".join(wrong[:10]))
    return 1 if wrong or left or growth > options.growth else 0


if __name__ == "__main__":
    sys.exit(main())
