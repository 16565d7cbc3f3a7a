"""Measure the speed of the findings parser on one core.

    python tools/bench_findings.py
    python tools/bench_findings.py --data reports.jsonl      # one {"text": ...} per line
    python tools/bench_findings.py --openi DIR               # NLMCXR_reports.tgz and dev_ids.txt in DIR

By default it reads 2,000 reports of about Open-i's length, recombined from the sentences of examples/pairs.jsonl. With
--openi it reads the Open-i reports whose ids are in dev_ids.txt.

It prints the loading time (fresh processes, median of five), reports per second with the parser's sentence cache and
with the cache cleared before every report, and seconds by length of a report. If medspaCy is installed, its ConText
with a matcher of 30 terms reads the same reports in turn, and the ratio is printed. Compare ratios, because reports per
second differ between machines.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from defusedxml import ElementTree

from radeval_core.findings import FindingsParser

ROOT = Path(__file__).resolve().parent.parent
LENGTHS = (1_000, 10_000, 50_000, 100_000)
#: mean length of Open-i's findings and impression, in characters
MEAN_LENGTH = 260
#: the terms that medspaCy looks for: common findings, by their most common names
TERMS = (
    "pleural effusion", "effusion", "pneumothorax", "consolidation", "opacity", "opacities", "atelectasis", "pneumonia",
    "cardiomegaly", "edema", "pulmonary edema", "infiltrate", "nodule", "mass", "granuloma", "calcified granuloma",
    "scarring", "emphysema", "fibrosis", "fracture", "scoliosis", "hiatal hernia", "pleural thickening",
    "airspace disease", "vascular congestion", "degenerative changes", "lymphadenopathy", "catheter", "pacemaker",
    "hyperinflation",
)  # fmt: skip


def one_core() -> str:
    """Pin this process and its children to one core, and return a note for the output."""
    if hasattr(os, "sched_setaffinity"):
        core = max(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {core})
        return "pinned to one core"
    return "not pinned to one core: not supported on this system"


def openi_reports(folder: Path) -> Iterator[str]:
    """Yield findings and impression of the reports listed in dev_ids.txt."""
    wanted = set((folder / "dev_ids.txt").read_text("utf-8").split())
    with tarfile.open(folder / "NLMCXR_reports.tgz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".xml") else None
            if file is None:
                continue
            root = ElementTree.parse(file, forbid_dtd=True).getroot()
            uid = root.find("uId")
            if uid is None or uid.get("id") not in wanted:
                continue
            sections = ((part.get("Label"), (part.text or "").strip()) for part in root.iter("AbstractText"))
            yield "\n".join(
                f"{label}: {text}" for label, text in sections if label in ("FINDINGS", "IMPRESSION") and text
            )


def made_reports(count: int = 2_000, seed: int = 0) -> tuple[list[str], int]:
    """Return reports recombined from the sentences of the examples, and the number of distinct sentences."""
    lines = (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines()
    texts = [text for line in lines for text in (json.loads(line)["prediction"], json.loads(line)["reference"])]
    sentences = sorted({s for text in texts for s in re.findall(r"[^.\n]+(?:\.\d[^.\n]*)*\.", text)})
    sentences = [s.strip() for s in sentences if len(s.strip()) > 8]
    rng = random.Random(seed)
    reports = []
    for _ in range(count):
        wanted, parts = rng.gauss(MEAN_LENGTH, 80), [rng.choice(sentences)]
        while sum(map(len, parts)) + len(parts) - 1 < wanted - 30:
            parts.append(rng.choice(sentences))
        reports.append(" ".join(parts))
    return reports, len(sentences)


def given_reports(path: Path) -> list[str]:
    """Return the `text` of every line of a JSONL file."""
    return [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines() if line.strip()]


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of a function, which does not count other processes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def with_cache(reports: list[str]) -> float:
    """Return reports per second of a new parser with its sentence cache."""
    parser = FindingsParser(remember=20_000)
    return len(reports) / seconds(lambda: [parser.parse(text) for text in reports])


def without_cache(reports: list[str]) -> float:
    """Return reports per second of a new parser whose sentence cache is cleared before each report."""
    parser = FindingsParser(remember=20_000)

    def read() -> None:
        for text in reports:
            parser._read.cache_clear()
            parser.parse(text)

    return len(reports) / seconds(read)


def loading() -> dict[str, float]:
    """Return the seconds of a fresh process: Python alone, with the parser imported, and with a first short report."""
    programs = {
        "python": "pass",
        "import": "import radeval_core.findings",
        "first report": "from radeval_core.findings import parse; parse('No pneumothorax.')",
    }
    found: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(5):
        for name, program in programs.items():
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True)
            found[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in found.items()}


def medspacy_reader() -> Callable[[list[str]], None] | None:
    """Return a reader with medspaCy's ConText and a matcher of our terms, or None if it is not installed."""
    os.environ.setdefault("LOGURU_LEVEL", "ERROR")  # its debug messages would take longer than its reading
    try:
        import medspacy
        from medspacy.ner import TargetRule
    except ImportError:
        return None
    pipeline = medspacy.load(enable=["medspacy_pyrush", "medspacy_target_matcher", "medspacy_context"])
    pipeline.get_pipe("medspacy_target_matcher").add([TargetRule(term, "FINDING") for term in TERMS])

    def read(reports: list[str]) -> None:
        for text in reports:
            pipeline(text)

    return read


def print_speed(reports: list[str], repeats: int) -> None:
    """Print reports per second of the parser on all reports and, in turn, of medspaCy on some of them."""
    other = medspacy_reader()
    part = reports[: max(100, len(reports) // 10)]
    readers = {"with sentence cache": with_cache, "without sentence cache": without_cache}
    rates: dict[str, list[float]] = {name: [] for name in readers}
    ratios: dict[str, list[float]] = {name: [] for name in readers}
    theirs: list[float] = []
    with_cache(part)  # warm up
    for _ in range(repeats):
        for name, read in readers.items():
            rates[name].append(read(reports))
        if other is not None:
            theirs.append(len(part) / seconds(lambda: other(part)))
            for name, read in readers.items():
                ratios[name].append(read(part) / theirs[-1])
    for name in readers:
        print(f"{name:26} {statistics.median(rates[name]):9,.0f} reports/s")
    if other is None:
        print("medspaCy is not installed, so there is no ratio")
        return
    print(f"{'medspaCy':26} {statistics.median(theirs):9,.0f} reports/s with {len(TERMS)} terms, {len(part)} reports")
    for name in readers:
        print(f"{name:26} {statistics.median(ratios[name]):9.1f} times the speed of medspaCy on these reports")


def print_lengths(reports: list[str]) -> None:
    """Print seconds by length of a report with an empty cache. Constant µs per character means linear time."""
    print(f"\n{'characters':>12}{'seconds':>12}{'µs per character':>20}")
    text = "\n".join(reports)
    while len(text) < LENGTHS[-1]:
        text += "\n" + text
    for length in LENGTHS:
        times = []
        for start in range(0, min(3 * length, len(text) - length + 1), length):
            parser = FindingsParser()
            piece = text[start : start + length]
            times.append(seconds(lambda parser=parser, piece=piece: parser.parse(piece)))  # type: ignore[misc]
        took = statistics.median(times)
        print(f"{length:12,}{took:12.4f}{1e6 * took / length:20.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help='JSONL with one {"text": ...} per line')
    parser.add_argument("--openi", type=Path, metavar="DIR", help="folder with NLMCXR_reports.tgz and dev_ids.txt")
    parser.add_argument("--repeats", type=int, default=3, help="repeats of each measurement (default: 3)")
    args = parser.parse_args()
    core = one_core()
    if args.data is not None:
        reports, source = given_reports(args.data), args.data.name
    elif args.openi is not None:
        reports, source = [text for text in openi_reports(args.openi) if text], "Open-i, tuning reports"
    else:
        reports, distinct = made_reports()
        source = f"recombined from {distinct} distinct sentences"
    mean = sum(map(len, reports)) / len(reports)
    print(f"{len(reports):,} reports ({source}), {mean:.0f} characters on average, {core}\n")
    times = loading()
    print(f"loading: {times['import'] - times['python']:.2f} s to import, "
          f"{times['first report'] - times['python']:.2f} s until the first report is parsed\n")  # fmt: skip
    print_speed(reports, args.repeats)
    print_lengths(reports)


if __name__ == "__main__":
    main()
