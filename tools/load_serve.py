"""Load test of `radeval serve`: many clients at once, every answer checked, speed beside scoring in one process.

    python tools/load_serve.py --seconds 300

It starts a server and works in rounds. In each round it makes new requests from the sentences of examples/pairs.jsonl
and scores the same pairs three times: in one run in this process, request by request in this process (which gives the
expected answers), and by the server with all clients at once. Only the time of the server counts for --seconds. It
prints lost, wrong and refused answers, the times to answer, and the speed of the server relative to this process. The
exit code is 1 if an answer was lost or wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import random
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from tqdm import tqdm

from radeval_core import api
from radeval_core.pairs import Pair
from radeval_core.runner import run

EXAMPLES = Path(__file__).parent.parent / "examples" / "pairs.jsonl"
#: metrics whose last digits depend on the batches of a model
ENCODERS = {"bertscore", "radcliq", "ratescore"}
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Kind:
    """What a request asks for."""

    metrics: tuple[str, ...]
    options: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass
class Request:
    """One request, with its expected answer."""

    number: int
    kind: Kind
    pairs: list[Pair]
    expected: dict[str, Any] = field(default_factory=dict)

    def body(self, intervals: bool) -> dict[str, Any]:
        rows = [{"id": pair.id, "prediction": pair.prediction, "reference": pair.reference} for pair in self.pairs]
        return {
            "pairs": rows,
            "metrics": list(self.kind.metrics),
            "options": self.kind.options,
            "intervals": intervals,
        }


@dataclass
class Tally:
    """What happened."""

    answers: int = 0
    pairs: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    busy: int = 0
    largest_difference: float = 0.0
    seconds: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Local:
    """Scores in this process; the models and the parser's memory stay, as in the server."""

    def __init__(self) -> None:
        self._resources = api.make_resources(progress=False)

    def score(self, kind: Kind, pairs: list[Pair]) -> api.Scores:
        scorers = [api.make_scorer(n, None, self._resources, dict(kind.options.get(n, {}))) for n in kind.metrics]
        ids, results = run(lambda: pairs, scorers)
        return api.Scores(ids, results)


def sentences() -> list[str]:
    """Return the sentences of the sample reports."""
    rows = [json.loads(line) for line in EXAMPLES.read_text("utf-8").splitlines()]
    texts = [text.replace("\n", " ") for row in rows for text in (row["prediction"], row["reference"])]
    return sorted({sentence.strip(" .") for text in texts for sentence in text.split(". ") if sentence.strip(" .")})


def make_requests(count: int, pairs: int, kinds: list[Kind], draw: random.Random, first: int) -> list[Request]:
    """Return requests with new reports, so that no side can answer from memory."""
    pool = sentences()

    def report() -> str:
        size = f"{draw.randint(3, 60)}.{draw.randint(0, 9)} mm"
        return ". ".join([*draw.sample(pool, draw.randint(3, 8)), f"Right upper lobe nodule measures {size}"]) + "."

    return [
        Request(n, kinds[n % len(kinds)], [Pair(report(), (report(),), f"{n}-{i}") for i in range(pairs)])
        for n in range(first, first + count)
    ]


def expected(scores: api.Scores) -> dict[str, Any]:
    """Return what an answer must contain."""
    summary = scores.summary(intervals=False)
    return {
        "rows": list(scores.rows()),
        "summary": {name: (row["score"], row["signature"]) for name, row in summary.items()},
    }


def difference(request: Request, answer: dict[str, Any]) -> float:
    """Return the largest difference between answer and expectation; infinity if they are not about the same."""
    wanted = request.expected
    if [row["id"] for row in answer["rows"]] != [row["id"] for row in wanted["rows"]]:
        return math.inf
    largest = 0.0
    for name, (score, signature) in wanted["summary"].items():
        if answer["summary"][name]["signature"] != signature:
            return math.inf
        largest = max(largest, _gap(answer["summary"][name]["score"], score))
    for one, other in zip(answer["rows"], wanted["rows"], strict=True):
        if one["scores"].keys() != other["scores"].keys():
            return math.inf
        largest = max(largest, *(_gap(one["scores"][key], value) for key, value in other["scores"].items()))
    return largest


def _gap(one: float | None, other: float | None) -> float:
    if one is None or other is None:
        return 0.0 if one is other else math.inf
    return abs(one - other)


class Server:
    """A server process."""

    def __init__(self, metrics: list[str]) -> None:
        command = ["serve", "--quiet", "--port", "0", "--json", "--metrics", ",".join(metrics)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "radeval_core.cli", *command], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        self.url = json.loads(self.process.stdout.readline())["url"]

    def megabytes(self) -> float:
        """Return the memory of the process; NaN where the system does not say."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return math.nan
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024

    def processor_seconds(self) -> float:
        """Return the processor time of the process; NaN where the system does not say."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return math.nan
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def count(self, name: str) -> float:
        text = httpx2.get(f"{self.url}/metrics").text
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(120)


def work(url: str, waiting: queue.Queue[Request], tally: Tally, intervals: bool, exact: bool) -> None:
    """Be one client: send requests until none is left."""
    with httpx2.Client(base_url=url, timeout=600, trust_env=False) as client:
        while True:
            try:
                request = waiting.get_nowait()
            except queue.Empty:
                return
            started = time.perf_counter()
            try:
                answer = client.post("/v1/score", json=request.body(intervals))
                while answer.status_code == 429:
                    with tally.lock:
                        tally.busy += 1
                    time.sleep(float(answer.headers["Retry-After"]))
                    answer = client.post("/v1/score", json=request.body(intervals))
                seconds = time.perf_counter() - started
                answer.raise_for_status()
                gap = difference(request, answer.json())
            except httpx2.HTTPError as error:
                with tally.lock:
                    tally.lost.append(f"{request.number}: {type(error).__name__} {error}")
                continue
            with tally.lock:
                tally.answers += 1
                tally.pairs += len(request.pairs)
                tally.seconds.append(seconds)
                tally.largest_difference = max(tally.largest_difference, gap)
                if gap > (0.0 if exact else TOLERANCE):
                    tally.wrong.append(f"{request.number}: differs by {gap:g}")


def serve_round(
    server: Server, requests: list[Request], clients: int, tally: Tally, intervals: bool, exact: bool
) -> float:
    """Let all clients send the requests of a round, and return the seconds it took."""
    waiting: queue.Queue[Request] = queue.Queue()
    for request in requests:
        waiting.put(request)
    threads = [
        threading.Thread(target=work, args=(server.url, waiting, tally, intervals, exact)) for _ in range(clients)
    ]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


def main() -> int:
    """Run the load test and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300, help="time under load")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--pairs", type=int, default=16, help="pairs per request")
    parser.add_argument("--round", type=int, default=128, help="requests per round")
    parser.add_argument("--intervals", action="store_true", help="also let the server compute the 95 %% intervals")
    parser.add_argument("--encoder", action="store_true", help="also score with bertscore, which runs a model")
    args = parser.parse_args()
    kinds = [
        Kind(("green", "radgraph_f1", "rouge")),
        Kind(("green", "chexbert_f1", "cider", "bleu"), {"bleu": {"lowercase": True}}),
    ]
    if args.encoder:
        kinds.append(Kind(("bertscore", "rouge")))
    metrics = list(dict.fromkeys(name for kind in kinds for name in kind.metrics))
    whole, single = Local(), Local()
    draw = random.Random(17)
    warm = make_requests(len(kinds), 2, kinds, draw, 0)
    for request in warm:
        whole.score(request.kind, request.pairs)
        single.score(request.kind, request.pairs)
    server = Server(metrics)
    tally = Tally()
    took = {"server": 0.0, "one run": 0.0, "by request": 0.0}
    used = {"server": 0.0, "one run": 0.0, "by request": 0.0}  # processor time, which a busy machine does not change
    ratios: list[float] = []
    before = math.nan
    number = 0
    with tqdm(total=args.seconds, unit="s", disable=None, bar_format="{l_bar}{bar}| {n:.0f}/{total:.0f} s") as bar:
        while took["server"] < args.seconds:
            requests = make_requests(args.round, args.pairs, kinds, draw, number)
            number += len(requests)
            started, processor = time.perf_counter(), time.process_time()
            for kind in kinds:
                whole.score(kind, [pair for request in requests if request.kind is kind for pair in request.pairs])
            alone = time.perf_counter() - started
            used["one run"] += time.process_time() - processor
            started, processor = time.perf_counter(), time.process_time()
            for request in requests:
                request.expected = expected(single.score(request.kind, request.pairs))
            took["by request"] += time.perf_counter() - started
            used["by request"] += time.process_time() - processor
            processor = server.processor_seconds()
            served = serve_round(server, requests, args.clients, tally, args.intervals, not args.encoder)
            used["server"] += server.processor_seconds() - processor
            took["one run"] += alone
            took["server"] += served
            ratios.append(alone / served)
            before = before if len(ratios) > 1 else server.megabytes()
            bar.update(served)
    batches = server.count("radeval_batch_requests_count")
    filled = server.count("radeval_batch_requests_sum") / max(batches, 1)
    after = server.megabytes()
    code = server.stop()
    times = sorted(tally.seconds)
    quantile = {q: times[min(len(times) - 1, int(q * len(times)))] for q in (0.5, 0.95)} if times else {}
    report = {
        "metrics": metrics,
        "clients": args.clients,
        "pairs_per_request": args.pairs,
        "seconds_under_load": round(took["server"], 1),
        "requests": number,
        "answers": tally.answers,
        "lost": len(tally.lost),
        "wrong": len(tally.wrong),
        "refused_429": tally.busy,
        "largest_difference": tally.largest_difference,
        "p50_seconds": round(quantile.get(0.5, math.nan), 2),
        "p95_seconds": round(quantile.get(0.95, math.nan), 2),
        "pairs_per_second": round(tally.pairs / took["server"], 1),
        "speed_relative_to_one_run": round(took["one run"] / took["server"], 3),
        "median_of_rounds": round(sorted(ratios)[len(ratios) // 2], 3),
        "speed_relative_to_single_requests": round(took["by request"] / took["server"], 3),
        "processor_time_one_run_to_server": round(used["one run"] / used["server"], 3),
        "processor_time_single_requests_to_server": round(used["by request"] / used["server"], 3),
        "requests_per_batch": round(filled, 1),
        "memory_mb": [round(before), round(after)],
        "exit_code_of_server": code,
        "cores": os.cpu_count(),
    }
    print(json.dumps(report, indent=1))
    for line in (tally.lost + tally.wrong)[:5]:
        print(line, file=sys.stderr)
    return 0 if tally.answers == number and not tally.wrong and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
