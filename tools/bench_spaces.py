"""Load-test the workbench: measure the time to score a pair with every metric while many visitors use it.

    python tools/bench_spaces.py
    python tools/bench_spaces.py --users 50 --seconds 60 --pause 0

The workbench runs in a separate process. Each visitor sends a pair, waits for all scores, pauses briefly (not with
`--pause 0`), and sends the next pair. Every candidate is new. The tool prints the number of pairs and errors, and the
median and 95th percentile of the response time. It fails if there is an error or if the 95th percentile is above
`--limit` seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import numpy as np
from tqdm import tqdm

from radeval_core import metric_names
from radeval_core.io import open_pairs

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(port: int) -> subprocess.Popen:
    """Start the workbench and wait until it answers."""
    address = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
    environment = os.environ | address | {"RADEVAL_VISITOR_RATE": "0"}  # all visitors of this test have one address
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "spaces" / "workbench" / "app.py")],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(600):
        try:
            httpx.get(f"http://127.0.0.1:{port}/", timeout=5).raise_for_status()
            return server
        except httpx.HTTPError:
            if server.poll() is not None:
                raise SystemExit("the workbench did not start; to see why: python spaces/workbench/app.py") from None
            time.sleep(0.2)
    server.terminate()
    raise SystemExit("the workbench did not answer within two minutes")


def ask(client: httpx.Client, url: str, session: str, reference: str, candidate: str) -> None:
    """Score one pair with every metric; raise an exception if the answer is not complete."""
    body = {"data": [reference, candidate], "session_hash": session}
    call = client.post(f"{url}/gradio_api/call/compare", json=body).raise_for_status()
    with client.stream("GET", f"{url}/gradio_api/call/compare/{call.json()['event_id']}") as events:
        event = ""
        for line in events.iter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: ") and event == "complete":
                rows = json.loads(line.removeprefix("data: "))[0]["data"]
                if [row[0] for row in rows] != list(metric_names()) or any(row[1] is None for row in rows):
                    raise ValueError("some scores are missing in the answer")
                return
            elif event == "error":
                raise ValueError("the workbench answered with an error")
    raise ValueError("the answer was cut off")


def visit(
    user: int, url: str, pairs: list, until: float, pause: float, times: list[float], errors: list[str], bar: tqdm
) -> None:
    """Send pair after pair, as one visitor, until the time is over."""
    with httpx.Client(timeout=60) as client:
        turn = 0
        while time.monotonic() < until:
            pair = pairs[(user + turn) % len(pairs)]
            candidate = f"{pair.prediction} Comparison is made to study {user}-{turn}."
            before = time.monotonic()
            try:
                ask(client, url, f"visitor-{user}", pair.reference, candidate)
                times.append(time.monotonic() - before)
            except (httpx.HTTPError, ValueError) as error:
                errors.append(str(error) or type(error).__name__)
            turn += 1
            bar.update()
            time.sleep(pause)


def main() -> int:
    """Start the workbench, run the visitors, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=20, help="number of visitors at the same time (default: 20)")
    parser.add_argument("--seconds", type=float, default=30, help="duration of the test (default: 30)")
    parser.add_argument(
        "--pause", type=float, default=0.5, help="seconds between two pairs of a visitor (default: 0.5)"
    )
    parser.add_argument("--limit", type=float, default=1.0, help="highest 95th percentile in seconds (default: 1)")
    args = parser.parse_args()
    pairs = [pair for pair in open_pairs(ROOT / "examples" / "pairs.jsonl") if pair.prediction and pair.reference]
    port = free_port()
    server, url = start(port), f"http://127.0.0.1:{port}"
    times: list[float] = []
    errors: list[str] = []
    try:
        with tqdm(desc="pairs", unit="pair") as bar:
            until = time.monotonic() + args.seconds
            visitors = [
                threading.Thread(target=visit, args=(user, url, pairs, until, args.pause, times, errors, bar))
                for user in range(args.users)
            ]
            for visitor in visitors:
                visitor.start()
            for visitor in visitors:
                visitor.join()
    finally:
        server.terminate()
        server.wait()
    median, p95 = np.percentile(times, [50, 95]) if times else (float("nan"), float("nan"))
    print(f"{args.users} users for {args.seconds:g} s, {args.pause:g} s between two pairs")
    print(f"{len(metric_names())} metrics per pair, {os.cpu_count()} cores shared with the visitors")
    print(f"{len(times)} pairs ({len(times) / args.seconds:.1f}/s), {len(errors)} errors")
    print(f"median {median:.3f} s, 95th percentile {p95:.3f} s (limit {args.limit:g} s)")
    for error in sorted(set(errors)):
        print(f"error: {error}")
    return int(bool(errors) or not times or p95 > args.limit)


if __name__ == "__main__":
    sys.exit(main())
