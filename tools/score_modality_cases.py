"""Measure the parser on the hand-labelled reports of tests/findings: precision and recall of (finding, polarity, side).

Run `python tools/score_modality_cases.py`. It measures `modality_cases.yaml`; name other files of the same format to
measure those instead (`python tools/score_modality_cases.py reading_cases`). `--misses` also prints what is wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from radeval_core.findings import parse

FOLDER = Path(__file__).parents[1] / "tests" / "findings"
Stated = tuple[str, str, str | None]
Groups = dict[str, list[dict[str, Any]]]


def read_cases(name: str) -> Groups:
    """Return the cases of a file, per kind of study."""
    groups: Groups = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    return groups


def compare(case: Mapping[str, Any]) -> tuple[set[Stated], set[Stated], set[Stated]]:
    """Return the right, the wrong and the missed findings of a case.

    A finding with a wrong region or size is missed, and wrong too. A denial that must not be implied is wrong; one that
    must be implied and is not is missed.
    """
    report = parse(case["text"])
    stated = [f for f in report.stated if f.kind != "normality"]
    said = {(f.finding, f.polarity, f.laterality) for f in stated}
    wanted = {(name, polarity, side) for name, polarity, side, *_ in case["expect"]}
    wrong = said - wanted
    for name, polarity, side, *places in case["expect"]:
        found = [f for f in stated if (f.finding, f.polarity, f.laterality) == (name, polarity, side)]
        sizes = case.get("sizes", {}).get(name)
        placed = not places or any(set(places[0]) <= set(f.anatomy) for f in found)
        sized = sizes is None or any(list(f.measurements) == [float(size) for size in sizes] for f in found)
        if found and not (placed and sized):
            said.discard((name, polarity, side))
            wrong.add((name, polarity, "wrong place or size"))
    denied = {f.finding for f in report.findings if f.implied and f.polarity == "absent"}
    wrong |= {(name, "denied", None) for name in case.get("not_denied", ()) if name in denied}
    missed = wanted - said | {(name, "implied", None) for name in case.get("implied", ()) if name not in denied}
    return said & wanted, wrong, missed


def measure(groups: Groups, show: bool = False) -> dict[str, tuple[int, int, int]]:
    """Return the numbers of right, wrong and missed findings per kind of study; `show` prints what is wrong."""
    counts = {}
    for study, cases in groups.items():
        total = [0, 0, 0]
        for case in cases:
            found = compare(case)
            total = [n + len(part) for n, part in zip(total, found, strict=True)]
            if show and (found[1] or found[2]):
                print(f"{case['text']!r}\n  wrong  {sorted(found[1], key=str)}\n  missed {sorted(found[2], key=str)}")
        counts[study] = (total[0], total[1], total[2])
    return counts


def rates(counts: tuple[int, ...]) -> tuple[float, float]:
    """Return precision and recall."""
    right, wrong, missed = counts
    return right / max(1, right + wrong), right / max(1, right + missed)


def main() -> None:
    """Print precision and recall per kind of study and in total."""
    options = argparse.ArgumentParser(description=main.__doc__)
    options.add_argument(
        "files", nargs="*", default=["modality_cases"], help="names of files in tests/findings, without .yaml"
    )
    options.add_argument("--misses", action="store_true", help="print what each case gets wrong")
    args = options.parse_args()
    for name in args.files:
        groups = read_cases(name)
        counts = measure(groups, args.misses)
        for study, found in counts.items():
            _line(study, len(groups[study]), found)
        _line(f"all {name}", sum(map(len, groups.values())), tuple(map(sum, zip(*counts.values(), strict=True))))


def _line(name: str, cases: int, counts: tuple[int, ...]) -> None:
    precision, recall = rates(counts)
    print(f"{name:20} {cases:4} cases  precision {precision:.3f}  recall {recall:.3f}")


if __name__ == "__main__":
    main()
