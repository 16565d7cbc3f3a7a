"""Kill processes that submit to and score a leaderboard at random moments, and check that nothing is lost or doubled.

    python tools/soak_leaderboard.py --kills 200

Two workers at a time submit systems and score the queue of one local store. Each is killed with SIGKILL after a random
time and replaced by a new one. At the end, one worker finishes the queue. The tool fails unless every submission that a
worker reported is in the store with exactly one readable result, the log has each one once and no broken line, no
partial file is visible, and the scores equal those of a store that nobody disturbed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import yaml

from radeval_core.leaderboard.benchmark import Benchmark, load_benchmark, revision_of
from radeval_core.leaderboard.owners import with_secret
from radeval_core.leaderboard.queue import score_waiting
from radeval_core.leaderboard.score_submission import current_version
from radeval_core.leaderboard.store import open_store
from radeval_core.leaderboard.submission import check_submission

SECRET = "a secret of the soak"
FINDINGS = ["pleural effusion", "pneumothorax", "consolidation", "nodule of 8 mm", "cardiomegaly", "rib fracture"]


def make_benchmark(folder: Path) -> Benchmark:
    """Write a benchmark of six invented studies that scores in milliseconds."""
    folder.mkdir()
    rows = [{"id": f"s{i}", "question": "what is there?", "reference": f"Small {f}."} for i, f in enumerate(FINDINGS)]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (folder / "studies.jsonl").write_bytes(data)
    limits = {"file_bytes": 20_000, "report_characters": 300, "name_characters": 60, "link_characters": 60,
              "training_data_characters": 100, "submissions": 100_000, "per_submitter": 100_000,
              "per_submitter_per_day": 100_000, "new_names_per_day": 100_000}  # fmt: skip
    texts = {"name": "soak", "title": "Soak", "summary": "s", "about": "a", "dataset": "radeval/soak", "licence": "x"}
    metrics = {"green": "embedded", "bleu": "embedded"}
    fields = {**texts, "revision": revision_of(data), "metrics": metrics, "limits": limits}
    (folder / "benchmark.yaml").write_text(yaml.safe_dump(fields, sort_keys=False), "utf-8")
    return load_benchmark(str(folder))


def submission_bytes(number: int) -> bytes:
    """Return the submission with a number; equal numbers give equal bytes."""
    rng = random.Random(number)
    system = {"name": f"System {number % 20}", "link": "https://example.org", "training_data": f"Run {number}."}
    rows = [{"id": f"s{i}", "prediction": f"Small {rng.choice(FINDINGS)}."} for i in range(len(FINDINGS))]
    return "".join(json.dumps(row) + "\n" for row in [{"system": system}, *rows]).encode()


def work(benchmark: Benchmark, folder: Path, first: int, report: Path) -> None:
    """Submit and score without end; report the number of each submission after it is stored."""
    store, number = open_store(folder), first
    handle = os.open(report, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    while True:
        submission = check_submission(submission_bytes(number), benchmark)
        store.submit(submission, benchmark, "2026-01-01T00:00:00+00:00", with_secret(SECRET))
        os.write(handle, b"%d\n" % number)
        number += 1
        if number % 3 == 0:
            score_waiting(store, benchmark)


def kill_workers(benchmark: Benchmark, folder: Path, kills: int, seed: int) -> list[int]:
    """Kill workers one after the other and return the numbers that they reported."""
    rng, workers, report = random.Random(seed), [], folder.with_name("reported")
    fork = multiprocessing.get_context("fork")  # a new interpreter would spend most of its life on imports
    for number in range(kills + 1):
        while len(workers) < 2 and number < kills:
            first = 1000 * (2 * number + len(workers))
            workers.append(fork.Process(target=work, args=(benchmark, folder, first, report), daemon=True))
            workers[-1].start()
        time.sleep(rng.uniform(0, 1.0))
        for worker in workers if number == kills else [workers[rng.randrange(2)]]:
            worker.kill()
            worker.join()
        workers = [worker for worker in workers if worker.is_alive()]
    return [int(line) for line in report.read_text().splitlines()]


def check(benchmark: Benchmark, folder: Path, reported: list[int], scratch: Path) -> list[str]:
    """Return everything that is wrong with the store."""
    store = open_store(folder)
    wanted = {check_submission(submission_bytes(n), benchmark).id for n in reported}
    stored = store.submissions(benchmark.name)
    found, notes = store.read_outcomes(benchmark.name)
    log = store.log(benchmark.name)
    logged = [event["submission"] for event in log.events() if "submission" in event]
    wrong = [f"lost: {s}" for s in wanted - set(stored)]
    wrong += [f"skipped: {note}" for note in notes] + [f"failed: {o.submission}" for o in found if o.failed]
    wrong += [f"{len(found)} results of {len(stored)} submissions"] * (len(found) != len(stored))
    wrong += [f"not logged: {s}" for s in set(stored) - set(logged)]
    wrong += [f"log: {problem}" for problem in log.problems()]
    wrong += [f"partial file: {p.name}" for p in folder.rglob(".*")]
    calm = open_store(scratch)
    for n in reported[:: max(1, len(reported) // 20)]:
        calm.submit(check_submission(submission_bytes(n), benchmark), benchmark, "2026-01-01T00:00:00+00:00")
    scores = {o.submission: o.scores for o in found}
    wrong += [
        f"other scores: {o.submission}" for o in score_waiting(calm, benchmark) if scores[o.submission] != o.scores
    ]
    return wrong


def main() -> int:
    """Run the soak and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, benchmark = Path(scratch) / "store", make_benchmark(Path(scratch) / "benchmark")
        current_version(benchmark)  # the children inherit what it loads
        reported = kill_workers(benchmark, folder, options.kills, options.seed)
        for _ in range(2):  # a submission whose scorer was killed too often is failed: score it again
            score_waiting(open_store(folder), benchmark, retry_failed=True)
        wrong = check(benchmark, folder, reported, Path(scratch) / "calm")
        count = len(open_store(folder).submissions(benchmark.name))
    print(f"{options.kills} kills, {count} submissions stored, {len(set(reported))} reported: {len(wrong)} problems")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
