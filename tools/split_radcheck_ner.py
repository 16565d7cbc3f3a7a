"""Write radcheck's marked sentences so that a reader of entities meets words it does not know.

    python tools/split_radcheck_ner.py OUT [--seed N]

- `OUT/held_out_findings.jsonl`: a tenth of the findings is held out. The test split has the sentences of all splits
  that name one of them, in any of its synonyms; train and dev have none of these. Made for `radeval train ner --data`.
- `OUT/unknown_to_parser.jsonl`: those sentences of radcheck's test split of which the findings parser does not
  understand every word. Made for `radeval bench --data`.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from radeval_core.data.radcheck.generate import ner_rows
from radeval_core.data.radcheck.structures import GoldFinding, load_grammar
from radeval_core.findings import FindingsParser
from radeval_core.findings.coverage import coverage_of
from radeval_core.io import write_jsonl

_KEPT = ("id", "study", "source", "text", "tokens", "tags", "entities")


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    splits = ner_rows(args.seed)
    held = held_out_names(args.seed)
    rows = list(without_names(splits, held))
    write_jsonl(args.out / "held_out_findings.jsonl", rows)
    counts = {name: sum(row["split"] == name for row in rows) for name in splits}
    print(f"held_out_findings.jsonl: {len(held)} names held out; {counts}")
    reader = FindingsParser()
    unknown = [_row(row) for row in splits["test"] if coverage_of(reader.parse(row["text"])).share < 1]
    write_jsonl(args.out / "unknown_to_parser.jsonl", unknown)
    print(f"unknown_to_parser.jsonl: {len(unknown)} of {len(splits['test'])} test sentences")


def held_out_names(seed: int) -> set[str]:
    """Return the names of a tenth of the findings, in lower case; findings that share a name are held out together."""
    findings = {finding.id: finding for anatomy in load_grammar().anatomies.values() for finding in anatomy.findings}
    ordered = sorted(findings, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    return {name for own in ordered[: len(ordered) // 10] for name in _names(findings[own])}


def without_names(splits: dict[str, list[dict[str, Any]]], held: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows with their new split; sentences of the old test split without a held-out name are left out."""
    for split, rows in splits.items():
        for row in rows:
            named = any(entity["text"].lower() in held for entity in row["entities"])
            if named or split != "test":
                yield {**_row(row), "split": "test" if named else split}


def _row(row: dict[str, Any]) -> dict[str, Any]:
    named = {**row, "study": row["report"], "source": row["modality"]}
    return {key: named[key] for key in _KEPT}


def _names(finding: GoldFinding) -> set[str]:
    return {name.lstrip("~+").lower() for name in finding.names}


if __name__ == "__main__":
    main()
