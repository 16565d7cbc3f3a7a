"""Compare the embedded RadGraph and CheXbert readings with those of the published models on real systems' reports.

    python tools/compare_published_readings.py FOLDER [--references references.jsonl]

FOLDER contains:

- `dev.jsonl`: one JSON object per line with `id` (`SYSTEM-STUDY`), `system`, `prediction`, `reference`, and `radgraph`:
  the rewards `simple`, `partial` and `complete` of a published RadGraph model;
- `systems.json`: per system, `chexbert_per_label`: true positives (`tp`), false positives (`fp`) and false negatives
  (`fn`) of each label by the published CheXbert, over all studies.

Prints Kendall's tau and the means of `radgraph_f1` at each level, then the number of reports per label: references, and
each system's predictions. If `dev.jsonl` has only some of the studies, our counts are scaled to all of them (`~`).
`--references` names a JSONL file with the `reference` of every study. Without the data, the tool says so and stops.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from radeval_core import score
from radeval_core.findings import parse
from radeval_core.findings.views.chexbert import chexbert_labels
from radeval_core.findings.views.chexpert import chexpert_labels

LEVELS = ("simple", "partial", "complete")
#: labels with fewer cases are too rare for a comparison of counts
FEWEST_CASES = 10
ALLOWED_DIFFERENCE = 0.15

Rows = Sequence[Mapping[str, Any]]


def main() -> int:
    """Print both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder with dev.jsonl and systems.json")
    parser.add_argument("--references", type=Path, help="JSONL with the reference of every study")
    args = parser.parse_args()
    missing = [name for name in ("dev.jsonl", "systems.json") if not (args.folder / name).is_file()]
    if missing:
        print(f"skipped: {args.folder} has no {' and no '.join(missing)}")
        return 0
    rows = _read(args.folder / "dev.jsonl")
    print("\n".join(compare_graphs(rows)))
    references = [row["reference"] for row in _read(args.references)] if args.references else []
    systems = json.loads((args.folder / "systems.json").read_text("utf-8"))
    print("\n".join(compare_labels(rows, systems, references)))
    return 0


def _read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def compare_graphs(rows: Rows) -> list[str]:
    """Return lines with tau and means of each level, for all pairs and for each system."""
    ours = [row["scores"] for row in score([(r["prediction"], r["reference"]) for r in rows], ["radgraph_f1"]).rows()]
    lines = [f"radgraph_f1, embedded config, {len(rows)} pairs: Kendall's tau, mean, published mean"]
    for system in ("all", *dict.fromkeys(row["system"] for row in rows)):
        chosen = [i for i, row in enumerate(rows) if system in ("all", row["system"])]
        for level in LEVELS:
            mine = np.array([ours[i][f"radgraph_f1.{level}"] for i in chosen])
            published = np.array([rows[i]["radgraph"][level] for i in chosen])
            tau = kendalltau(mine, published).statistic
            lines.append(f"  {system:12} {level:9} {tau:.3f}  {mine.mean():.3f}  {published.mean():.3f}")
    return lines


def compare_labels(rows: Rows, systems: Mapping[str, Any], references: Sequence[str] = ()) -> list[str]:
    """Return lines with the number of positive reports per label, by CheXbert and by both embedded label sets."""
    studies = {row["id"].rpartition("-")[2]: row["reference"] for row in rows}
    total = len(references) or len(studies)
    lines = [
        f"chexbert_f1, embedded config: positive reports per label; * differs by more than {ALLOWED_DIFFERENCE:.0%}",
        f"  {'reports':25} {'label':27} CheXbert  labels=chexbert  labels=human",
    ]
    for name, system in systems.items():
        texts = [row["prediction"] for row in rows if row["system"] == name]
        counts = system["chexbert_per_label"]
        lines += _counts(f"references ({name})", references or list(studies.values()), total, counts, "fn")
        lines += _counts(f"predictions of {name}", texts, total, counts, "fp")
    return lines


def _counts(
    what: str, texts: Sequence[str], total: int, counts: Mapping[str, Mapping[str, int]], other: str
) -> list[str]:
    """Return one line per label with enough cases; `other` is the cell that, with `tp`, makes the number of reports."""
    reports = {text: parse(text) for text in set(texts)}
    readings = [
        {text: chexbert_labels(report) for text, report in reports.items()},
        {text: chexpert_labels(report, named_only=True) for text, report in reports.items()},
    ]
    mark = "" if len(texts) == total else "~"
    lines = []
    for label, cells in counts.items():
        published = cells["tp"] + cells[other]
        if published >= FEWEST_CASES:
            found = [sum(r[text][label] == 1 for text in texts) * total / len(texts) for r in readings]
            ours = [f"{mark}{n:.0f}{'*' * (abs(n - published) > ALLOWED_DIFFERENCE * published)}" for n in found]
            lines.append(f"  {what:25} {label:27} {published:8}  {ours[0]:>15}  {ours[1]:>12}")
    return lines


if __name__ == "__main__":
    raise SystemExit(main())
