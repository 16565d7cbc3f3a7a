"""Measure how fast each metric is in its embedded config, on two corpora of generated pairs.

    python tools/bench_metrics.py
    python tools/bench_metrics.py --pairs 1000 --metrics bleu,rouge
    python tools/bench_metrics.py --markdown

The first corpus has no repetition: every prediction and every reference is another text, written by radcheck's
generator (`radeval data build radcheck`). The second repeats as real output does: few distinct predictions. Prints
pairs per second after loading. Every run gets texts that no run saw before, so nothing kept in memory helps it; the
fastest of several runs counts, because other programs only ever slow a run down. With --cpu, models use one thread and
its CPU time counts instead of time on the clock.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import count
from random import Random

from bench_engine import repeating_corpus
from radeval_core import Pair, metric_names, score
from radeval_core.data.radcheck.errors import perturb
from radeval_core.data.radcheck.generate import observe, reports, visible
from radeval_core.data.radcheck.structures import load_grammar
from radeval_core.data.radcheck.write import write_report
from radeval_core.engine.devices import one_thread


def distinct_corpus(n: int, seed: int = 0) -> list[Pair]:
    """Return pairs of which no text occurs twice: a generated report, and another wording of it with 0 to 6 errors."""
    rng = Random(seed)
    anatomies = load_grammar().anatomies
    seen: set[str] = set()
    pairs: list[Pair] = []
    for report in reports(rng):
        findings = visible(anatomies[report.anatomy], report.modality)
        candidate, _ = perturb(report, rng.randint(0, 6), rng, findings, lambda finding: observe(finding, rng))
        prediction, reference = write_report(candidate, rng).text, write_report(report, rng).text
        if prediction != reference and seen.isdisjoint((prediction, reference)):
            pairs.append(Pair(prediction, (reference,), len(pairs)))
            seen.update((prediction, reference))
        if len(pairs) == n:
            return pairs
    raise ValueError(f"the generator ended before it wrote {n} distinct pairs")


def pairs_per_second(
    name: str, corpus: Callable[[], list[Pair]], runs: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the speed of a metric in its fastest run, after it has been loaded."""
    score(corpus()[:8], [name])
    speeds = []
    for _ in range(runs):
        pairs = corpus()
        started = clock()
        score(pairs, [name])
        speeds.append(len(pairs) / (clock() - started))
    return max(speeds)


def main() -> None:
    """Time every metric in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=590, help="pairs in each corpus (default: 590)")
    parser.add_argument("--distinct", type=int, default=25, help="distinct predictions in the second (default: 25)")
    parser.add_argument("--runs", type=int, default=3, help="runs per metric and corpus (default: 3)")
    parser.add_argument("--metrics", default=",".join(metric_names()), help="comma-separated names (default: all)")
    parser.add_argument("--cpu", action="store_true", help="one thread, and its CPU time: for a busy machine")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    args = parser.parse_args()
    names = args.metrics.split(",")
    seeds = count()
    corpora = (
        lambda: distinct_corpus(args.pairs, next(seeds)),
        lambda: repeating_corpus(args.pairs, args.distinct, next(seeds)),
    )
    clock = time.process_time if args.cpu else time.perf_counter
    if args.cpu:
        one_thread()  # threads that wait for each other use CPU time too
    speeds = {name: [pairs_per_second(name, corpus, args.runs, clock) for corpus in corpora] for name in names}
    if args.markdown:
        row = "| `{:}` | {:,.0f} | {:,.0f} |"
        print(f"| metric | all texts distinct | {args.distinct} distinct predictions |\n|---|---|---|")
    else:
        row = "{:14} {:14,.0f} {:14,.0f}"
        print(f"pairs per {'CPU second' if args.cpu else 'second'}, {args.pairs} pairs")
        print(f"{'':14} {'all distinct':>14} {f'{args.distinct} predictions':>14}")
    for name, (distinct, repeating) in sorted(speeds.items(), key=lambda item: -item[1][0]):
        print(row.format(name, distinct, repeating))


if __name__ == "__main__":
    main()
