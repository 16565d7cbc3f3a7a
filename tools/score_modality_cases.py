"""Measure the parser on tests/findings/modality_cases.yaml: precision and recall of (finding, polarity, side).

Run `python tools/score_modality_cases.py`; `--misses` also prints what each case gets wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings import parse

CASES = Path(__file__).parents[1] / "tests" / "findings" / "modality_cases.yaml"
Stated = tuple[str, str, str | None]


def read_cases() -> dict[str, list[dict[str, Any]]]:
    """Return the cases per modality."""
    groups: dict[str, list[dict[str, Any]]] = yaml.safe_load(CASES.read_text("utf-8"))
    return groups


def compare(case: Mapping[str, Any]) -> tuple[set[Stated], set[Stated], set[Stated]]:
    """Return the right, the wrong and the missed findings of a case; a wrong region makes a finding wrong."""
    report = parse(case["text"])
    said = {(f.finding, f.polarity, f.laterality) for f in report.stated if f.kind != "normality"}
    wanted = {(name, polarity, side) for name, polarity, side, *_ in case["expect"]}
    for name, polarity, side, *places in case["expect"]:
        found = [
            set(f.anatomy) for f in report.stated if (f.finding, f.polarity, f.laterality) == (name, polarity, side)
        ]
        if places and not any(set(places[0]) <= regions for regions in found):
            said.discard((name, polarity, side))
    denied = {f.finding for f in report.findings if f.implied and f.polarity == "absent"}
    wrong = (said - wanted) | {(name, "denied", None) for name in case.get("not_denied", ()) if name in denied}
    return said & wanted, wrong, wanted - said


def main() -> None:
    """Print precision and recall per modality and in total."""
    options = argparse.ArgumentParser(description=main.__doc__)
    options.add_argument("--misses", action="store_true", help="print what each case gets wrong")
    show = options.parse_args().misses
    total = [0, 0, 0]
    for modality, cases in read_cases().items():
        counts = [0, 0, 0]
        for case in cases:
            found = compare(case)
            counts = [n + len(part) for n, part in zip(counts, found, strict=True)]
            if show and (found[1] or found[2]):
                print(f"{case['text']!r}\n  wrong  {sorted(found[1], key=str)}\n  missed {sorted(found[2], key=str)}")
        total = [n + m for n, m in zip(total, counts, strict=True)]
        print(f"{modality:14} {len(cases):4} cases  {_rates(counts)}")
    print(f"{'all':14} {sum(map(len, read_cases().values())):4} cases  {_rates(total)}")


def _rates(counts: list[int]) -> str:
    right, wrong, missed = counts
    return f"precision {right / max(1, right + wrong):.3f}  recall {right / max(1, right + missed):.3f}"


if __name__ == "__main__":
    main()
