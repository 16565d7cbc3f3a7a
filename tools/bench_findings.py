"""How fast the findings parser is on one core.

    python tools/bench_findings.py
    python tools/bench_findings.py --data reports.jsonl      # one {"text": ...} a line

Without --data the tuning reports of Open-i are used where their archive lies in ../shared/data/openi, else (or with
--made) 2,000 reports of about Open-i's length, recombined from the sentences of examples/pairs.jsonl.

Prints loading (fresh processes, median of five), reports per second with the parser's memory of sentences and with that
memory cleared before every report, and seconds by length of one report. Where medspaCy can be imported, its ConText
with a matcher of 30 terms reads the same reports in turn, and the ratio is printed: ratios are the claims, since
reports per second change from machine to machine.
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
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

from radeval_core.findings import FindingsParser

ROOT = Path(__file__).resolve().parent.parent
OPENI = ROOT.parent / "shared" / "data" / "openi"
LENGTHS = (1_000, 10_000, 50_000, 100_000)
#: mean length of Open-i's findings and impression, in characters
MEAN_LENGTH = 260
#: what medspaCy looks for: common findings, by their commonest words
TERMS = (
    "pleural effusion", "effusion", "pneumothorax", "consolidation", "opacity", "opacities", "atelectasis", "pneumonia",
    "cardiomegaly", "edema", "pulmonary edema", "infiltrate", "nodule", "mass", "granuloma", "calcified granuloma",
    "scarring", "emphysema", "fibrosis", "fracture", "scoliosis", "hiatal hernia", "pleural thickening",
    "airspace disease", "vascular congestion", "degenerative changes", "lymphadenopathy", "catheter", "pacemaker",
    "hyperinflation",
)  # fmt: skip


def one_core() -> str:
    """Keep this process and its children on one core; says how."""
    if hasattr(os, "sched_setaffinity"):
        core = max(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {core})
        return "pinned to one core"
    return "not pinned: this system cannot"


def openi_reports(folder: Path) -> Iterator[str]:
    """Findings and impression of the tuning reports only."""
    wanted = set((folder / "dev_ids.txt").read_text("utf-8").split())
    with tarfile.open(folder / "NLMCXR_reports.tgz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".xml") else None
            if file is None:
                continue
            root = ElementTree.parse(file).getroot()
            uid = root.find("uId")
            if uid is None or uid.get("id") not in wanted:
                continue
            sections = ((part.get("Label"), (part.text or "").strip()) for part in root.iter("AbstractText"))
            yield "\n".join(
                f"{label}: {text}" for label, text in sections if label in ("FINDINGS", "IMPRESSION") and text
            )


def made_reports(count: int = 2_000, seed: int = 0) -> tuple[list[str], int]:
    """Reports recombined from the sentences of the examples, and how many distinct sentences there are."""
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
    """The `text` of every line of a JSONL file."""
    return [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines() if line.strip()]


def seconds(work: Callable[[], object]) -> float:
    """How long something takes, with the processor's clock: other processes do not count."""
    started = time.process_time()
    work()
    return time.process_time() - started


def remembering(reports: list[str]) -> float:
    """Reports per second of a new parser that remembers sentences."""
    parser = FindingsParser()
    return len(reports) / seconds(lambda: [parser.parse(text) for text in reports])


def forgetting(reports: list[str]) -> float:
    """Reports per second of a new parser that forgets its sentences before each report."""
    parser = FindingsParser()

    def read() -> None:
        for text in reports:
            parser._read_sentence.cache_clear()
            parser.parse(text)

    return len(reports) / seconds(read)


def loading() -> dict[str, float]:
    """Seconds of a fresh process: Python alone, with the parser imported, and with a first short report."""
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
    """ConText of medspaCy behind a matcher of our terms, or None where it is not installed."""
    os.environ.setdefault("LOGURU_LEVEL", "ERROR")  # its debug messages would cost it more than its reading
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
    """Reports per second of the parser, and of medspaCy on a part of them, in turn."""
    other = medspacy_reader()
    part = reports[: max(100, len(reports) // 10)]
    readers = {"with memory of sentences": remembering, "without": forgetting}
    rates: dict[str, list[float]] = {name: [] for name in readers}
    ratios: dict[str, list[float]] = {name: [] for name in readers}
    theirs: list[float] = []
    remembering(part)  # warm up
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
        print("medspaCy is not installed: no ratio")
        return
    print(f"{'medspaCy':26} {statistics.median(theirs):9,.0f} reports/s with {len(TERMS)} terms, {len(part)} reports")
    for name in readers:
        print(f"{name:26} {statistics.median(ratios[name]):9.1f} times medspaCy on these reports")


def print_lengths(reports: list[str]) -> None:
    """Seconds by length of one report, nothing remembered: linear if microseconds per character stay."""
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
    parser.add_argument("--data", type=Path, help='JSONL with one {"text": ...} a line')
    parser.add_argument("--made", action="store_true", help="use the made corpus even where Open-i is there")
    parser.add_argument("--repeats", type=int, default=3, help="times each measurement is taken (default: 3)")
    args = parser.parse_args()
    how = one_core()
    if args.data is not None:
        reports, source = given_reports(args.data), args.data.name
    elif not args.made and (OPENI / "NLMCXR_reports.tgz").is_file() and (OPENI / "dev_ids.txt").is_file():
        reports, source = [text for text in openi_reports(OPENI) if text], "Open-i, tuning reports"
    else:
        reports, distinct = made_reports()
        source = f"made from {distinct} distinct sentences"
    mean = sum(map(len, reports)) / len(reports)
    print(f"{len(reports):,} reports ({source}), {mean:.0f} characters on average, {how}\n")
    times = loading()
    print(f"loading: {times['import'] - times['python']:.2f} s to import, "
          f"{times['first report'] - times['python']:.2f} s up to the first report read\n")  # fmt: skip
    print_speed(reports, args.repeats)
    print_lengths(reports)


if __name__ == "__main__":
    main()
