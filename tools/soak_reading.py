"""Kill the servers of a reader study again and again while readers save, and check that nothing is lost or doubled.

    python tools/soak_reading.py
    python tools/soak_reading.py --kills 200 --readers 4 --servers 3

Several servers share one store. Each reader saves answers, one after the other, through whichever server answers, and
sends an answer again with the same id until it is confirmed. Meanwhile servers are killed (SIGKILL) and started again.
In the end, every confirmed answer must be in the reader's journal exactly once and in order, and the newest answer of
every case must be the last one confirmed. Needs the extra `spaces`.
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
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from radeval_core.reading.cases import read_rows
from radeval_core.reading.journal import Journal
from radeval_core.reading.study import create_study, open_study

CASES = 20


@dataclass
class Server:
    """A server process on a fixed port, which can be killed and started again."""

    store: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "radeval_core.cli", "read", "serve", "--quiet", "--store", str(self.store)]
        unlimited = {**os.environ, "RADEVAL_VISITOR_RATE": "0"}  # all readers here have one address
        self.process = subprocess.Popen([*command, "--port", str(self.port)], stdout=subprocess.DEVNULL, env=unlimited)

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait()


@dataclass
class SavingReader:
    """A reader who saves without pause.

    Attributes:
        name: the reader's name.
        secret: the secret of the link.
        ports: the servers.
        confirmed: id and case of every answer that a server confirmed, in order.
        resent: how many answers were sent more than once.
        trouble: an answer of a server that must not happen.
    """

    name: str
    secret: str
    ports: list[int]
    confirmed: list[tuple[str, int]] = field(default_factory=list)
    resent: int = 0
    trouble: str = ""

    def run(self, stop: threading.Event) -> None:
        """Save answers until stopped; the last one is sent until it is confirmed."""
        draws = random.Random(self.name)
        with httpx.Client(timeout=10) as client:
            headers: dict[str, str] = {}
            while not stop.is_set() and not self.trouble:
                position, save = draws.randint(1, CASES), f"{self.name}-{len(self.confirmed):06d}"
                body: dict[str, Any] | None = None
                tries = 0
                while not self.trouble:
                    tries += 1
                    url = f"http://127.0.0.1:{draws.choice(self.ports)}/reading_api"
                    try:
                        if not headers:
                            login = client.post(f"{url}/login", json={"name": self.name, "secret": self.secret})
                            headers = {"Authorization": f"Bearer {login.json()['token']}"}
                        if body is None:
                            case = client.get(f"{url}/case/{position}", headers=headers).json()
                            reading = {**case["reading"], "comment": save}
                            body = {"revision": case["revision"], "save": save, "reading": reading}
                            tries = 0
                        answer = client.post(f"{url}/case/{position}", headers=headers, json=body)
                    except (httpx.TransportError, KeyError, json.JSONDecodeError):
                        time.sleep(0.02)
                        continue
                    if answer.status_code != 200:
                        self.trouble = f"{self.name}: {answer.status_code} {answer.text[:200]}"
                    elif answer.json()["reading"]["comment"] != save:
                        self.trouble = f"{self.name}: {save} was confirmed, but another answer is stored"
                    else:
                        self.confirmed.append((save, position))
                        self.resent += tries > 1
                    break


def soak(folder: Path, kills: int, readers: int, servers: int, seed: int = 0, pause: float = 1.0) -> dict[str, int]:
    """Run readers and kills, and return counts. Raises SystemExit with the problem if anything was lost or doubled."""
    pairs = folder / "pairs.jsonl"
    row = {"prediction": "Small right effusion. Heart is large.", "reference": "Small left effusion."}
    pairs.write_text("".join(json.dumps({"id": n, **row}) + "\n" for n in range(CASES)))
    study, _ = create_study(folder / "store", read_rows(pairs))
    running = [Server(study.folder, _free_port()) for _ in range(servers)]
    saving = [
        SavingReader(f"reader{n}", study.add_reader(f"reader{n}"), [s.port for s in running]) for n in range(readers)
    ]
    stop = threading.Event()
    threads = [threading.Thread(target=one.run, args=(stop,), daemon=True) for one in saving]
    draws = random.Random(seed)
    try:
        for process in (*running, *threads):
            process.start()
        while not all(len(one.confirmed) > 3 or one.trouble for one in saving):
            time.sleep(0.05)
        for _ in range(kills):
            time.sleep(draws.uniform(0, 2 * pause))
            victim = draws.choice(running)
            victim.kill()
            victim.start()
        stop.set()
        for thread in threads:
            thread.join(120)
            if thread.is_alive():
                raise SystemExit("a reader's last answer was not confirmed within two minutes")
    finally:
        for server in running:
            server.kill()
    return _checked(open_study(study.folder).folder, saving, kills)


def _checked(store: Path, saving: list[SavingReader], kills: int) -> dict[str, int]:
    for one in saving:
        if one.trouble:
            raise SystemExit(one.trouble)
        journal = store / "journals" / f"{one.name}.jsonl"
        state = Journal(journal).readable()
        saves = list(state.saves)
        if saves != [save for save, _ in one.confirmed]:
            raise SystemExit(f"{one.name}: {len(one.confirmed)} answers confirmed, but {len(saves)} others stored")
        entries = [json.loads(line) for line in journal.read_bytes().splitlines() if line.startswith(b"{")]
        if doubled := [save for save, n in Counter(e["save"] for e in entries if "save" in e).items() if n > 1]:
            raise SystemExit(f"{one.name}: stored twice: {doubled[:3]}")
        reader = open_study(store).reader(one.name)
        newest = {reader.order.cases[position - 1]: save for save, position in one.confirmed}
        stored = {key: entry["reading"]["comment"] for key, entry in state.latest.items()}
        if newest != stored:
            raise SystemExit(f"{one.name}: the newest answer of a case is not the last one confirmed")
    return {
        "kills": kills,
        "confirmed": sum(len(one.confirmed) for one in saving),
        "sent again": sum(one.resent for one in saving),
        "lost": 0,
        "doubled": 0,
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Run the soak and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--readers", type=int, default=3)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(soak(Path(folder), args.kills, args.readers, args.servers, args.seed)))


if __name__ == "__main__":
    main()
