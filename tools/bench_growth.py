"""Measure how the CPU time of each metric grows with the length of one pair of reports.

`python tools/bench_growth.py` prints one row per metric: microseconds per character for pairs of 10^3 to 10^6
characters per report, and the growth of the time from each size to the next (10 is linear). Reports are invented; each
has distinct findings, places, sides and sizes from the lexicon, which is the worst case for matching.
"""

from __future__ import annotations

import argparse
import logging
import random
import time
from itertools import pairwise

from radeval_core import load, metric_names
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.parser import parse

_SIDES = ("left", "right", "bilateral", "")
_DEGREES = ("mild", "severe", "new", "small")
_FRAMES = (
    "There is a {} {} {} in the {} measuring {} mm. ",
    "No {} {} {} in the {} of {} mm. ",
    "{} {} {} at the {}, {} cm. ",
)


def main() -> None:
    """Measure and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--metrics", default=",".join(("parse", *metric_names())), help="names (default: all)")
    arguments.add_argument("--largest", type=int, default=6, help="largest size as a power of ten (default: 6)")
    chosen = arguments.parse_args()
    logging.disable(logging.WARNING)
    sizes = [10**power for power in range(3, chosen.largest + 1)]
    names = _names(load_lexicon(()))
    reports = [(_report(size, 1, names), _report(size, 2, names)) for size in sizes]
    print("| metric |", " | ".join(f"10^{len(str(size)) - 1}" for size in sizes), "| growth per step |")
    print("|---|" + "--:|" * len(sizes) + "---|")
    for name in chosen.metrics.split(","):
        seconds = [_seconds(name, *pair) for pair in reports]
        shown = (f"{1e6 * took / (2 * size):.1f}" for took, size in zip(seconds, sizes, strict=True))
        growth = (f"{after / before:.1f}" for before, after in pairwise(seconds))
        print(f"| {name} | {' | '.join(shown)} | {', '.join(growth)} |", flush=True)


def _seconds(name: str, prediction: str, reference: str) -> float:
    """Return the CPU time for one pair in a warm process; the faster of two runs if they are short."""
    runs = 2 if len(prediction) <= 10**5 else 1
    return min(_one_run(name, prediction, reference) for _ in range(runs))


def _one_run(name: str, prediction: str, reference: str) -> float:
    if name == "parse":
        started = time.process_time()
        parse(prediction), parse(reference)
        return time.process_time() - started
    metric = load(name, progress=False)
    metric.compute(["Small effusion."], ["No effusion."])  # what is loaded once per process
    metric = load(name, progress=False)  # with nothing read so far
    started = time.process_time()
    metric.compute([prediction], [reference])
    return time.process_time() - started


def _names(lexicon: Lexicon) -> tuple[list[str], list[str]]:
    """Return a name of each finding and of each region."""
    findings = {name: name.replace("_", " ") for name in lexicon.entries}
    regions = {name: name.replace("_", " ") for name in lexicon.regions}
    return sorted(findings.values()), sorted(regions.values())


def _report(characters: int, seed: int, names: tuple[list[str], list[str]]) -> str:
    drawn, sentences, length = random.Random(seed), [], 0
    while length < characters:
        said = (drawn.choice(_DEGREES), drawn.choice(_SIDES), drawn.choice(names[0]), drawn.choice(names[1]))
        sentences.append(drawn.choice(_FRAMES).format(*said, drawn.randint(2, 40)))
        length += len(sentences[-1])
    return "".join(sentences)[:characters]


if __name__ == "__main__":
    main()
