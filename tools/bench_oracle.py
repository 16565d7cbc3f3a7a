"""Measure the time of metric-oracle retrieval: all pairs of 2,000 test reports and a corpus of 50,000, per metric.

    python tools/bench_oracle.py
    python tools/bench_oracle.py --references 200 --corpus 5000 --metrics radgraph_f1,rouge

radcheck's grammar generates the reports. Every third corpus report repeats another, as in real corpora. Each metric
runs in a separate process, to measure its peak memory. 200 random results are checked: the score must equal that of
`api.score`, and a random report of the corpus must not score higher.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice

from radeval_core import api
from radeval_core.bench.oracle import oracle
from radeval_core.data.radcheck.generate import reports
from radeval_core.data.radcheck.write import write_report

METRICS = "radgraph_f1,chexbert_f1,chexbert_f1.similarity,rouge,bleu"
CHECKED = 200


def generated(seed: int) -> Iterator[str]:
    """Yield reports endlessly."""
    draw = random.Random(seed)
    for report in reports(draw):
        yield write_report(report, draw).text


def corpus_of(n: int, seed: int) -> list[tuple[str | int, str]]:
    """Return reports of which every third repeats another."""
    draw = random.Random(seed)
    texts = list(islice(generated(seed), max(1, n - n // 3)))
    texts += [draw.choice(texts) for _ in range(n - len(texts))]
    draw.shuffle(texts)
    return list(enumerate(texts))


def check(metric: str, rows: list[dict], references: list, corpus: list, seed: int) -> int:
    """Return how many of the sampled results are correct."""
    draw = random.Random(seed)
    name, _, part = metric.partition(".")
    chosen = draw.sample(range(len(references)), min(CHECKED, len(references)))
    texts = dict(corpus)
    pairs = []
    for i in chosen:
        pairs += [(texts[rows[i]["best_id"]], references[i][1]), (draw.choice(corpus)[1], references[i][1])]
    scores = api.score(pairs, [name]).results[name].values[part or name]
    return sum(
        bool(rows[i]["score"] == scores[2 * k] and scores[2 * k + 1] <= scores[2 * k]) for k, i in enumerate(chosen)
    )


def measure(metric: str, n_references: int, n_corpus: int, seed: int) -> dict:
    """Measure time and peak memory of one metric in this process, and check its results."""
    references = list(enumerate(islice(generated(seed + 1), n_references)))
    corpus = corpus_of(n_corpus, seed + 2)
    start, busy = time.perf_counter(), time.process_time()
    found = oracle(references, corpus, metric)
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kilobytes on Linux
    held = check(metric, found.rows, references, corpus, seed)
    pairs = n_references * n_corpus
    return {
        "metric": metric,
        "pairs": pairs,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(busy, 1),  # less than `seconds` if other programs use the machine
        "peak_mb": round(peak),
        "pairs_per_second": round(pairs / seconds),
        "mean": found.summary["mean"],
        "distinct": found.summary["distinct"],
        "checked": min(CHECKED, n_references),
        "held": held,
    }


def main() -> int:
    """Run every metric in a separate process and print one row per metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--references", type=int, default=2000)
    parser.add_argument("--corpus", type=int, default=50_000)
    parser.add_argument("--metrics", default=METRICS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", action="store_true", help="measure the metric given by --metrics in this process")
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.metrics, args.references, args.corpus, args.seed)))
        return 0
    wrong = 0
    for metric in args.metrics.split(","):
        sizes = ["--references", str(args.references), "--corpus", str(args.corpus), "--seed", str(args.seed)]
        command = [sys.executable, __file__, "--one", "--metrics", metric, *sizes]
        row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        wrong += row["checked"] - row["held"]
        print(json.dumps(row), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
