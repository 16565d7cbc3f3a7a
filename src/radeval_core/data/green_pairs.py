"""GREEN's training data: pairs of chest X-ray reports with GPT-4's analysis of the candidate's errors.

The source is JSON, JSON Lines or CSV files. A row has one of these forms:

- `{"conv": [{"from": "human", "value": PROMPT}, {"from": "gpt", "value": ANALYSIS}]}` or `{"prompt": PROMPT,
  "response": ANALYSIS}`, the input of `training/finetune.py` of github.com/Stanford-AIMI/GREEN. The prompt is the
  paper's (appendix A.1) and contains both reports.
- `{"reference", "candidate" (or "prediction", "predictions"), "green_analysis"}`, the form of GREEN's own results.

A file with `train`, `val` (or `dev`, `eval`) or `test` in its name is that split. Rows of other files are split by
reference, 80/10/10 as in the paper. The parser of our GREEN metric reads the analysis. If it cannot, the row stays
without counts and `problem` gives the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import Placed, csv_rows, json_rows, stable_order, string
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import InputError
from radeval_core.judges.green.answer import read_answer
from radeval_core.judges.verdict import UnreadableAnswer

SPLITS = ("train", "validation", "test")
_SPLIT_WORDS = {"train": "train", "test": "test", "val": "validation", "dev": "validation", "eval": "validation"}
_GRAVITY = ("significant", "insignificant")
_COUNTS = [f"{category}_{gravity}" for category, gravity in product(CATEGORIES, _GRAVITY)]
_REPORTS = re.compile(
    r"(?:2\.\s*)?Reference Report:\s*(?P<reference>.*?)\s*(?:3\.\s*)?Candidate Report:\s*(?P<candidate>.*?)\s*"
    r"4\.\s*Reporting Your Assessment",
    re.DOTALL,
)
_TURN = "<|assistant|>"
_CANDIDATES = ("candidate", "prediction", "predictions")

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "study", "reference", "prediction", "analysis", "problem")),
        *((name, pa.int64()) for name in ("matched", "errors", "significant_errors", *_COUNTS)),
    ]
)


def read(source: Path | None) -> Tables:
    """Read the pairs of a file, or of all files in a folder."""
    if source is None or not source.exists():
        raise InputError(f"--source {source}: expected a JSON or CSV file of pairs, or a folder of them")
    files = [source] if source.is_file() else sorted(p for p in source.iterdir() if p.suffix in _READERS)
    if not files:
        raise InputError(f"{source}: no file in it ends in {', '.join(_READERS)}")
    tables: dict[str, list[Row]] = {split: [] for split in SPLITS}
    pairs_of: Counter[str] = Counter()
    for path in files:
        named = next((split for word, split in _SPLIT_WORDS.items() if word in path.stem.lower()), None)
        for where, given in _rows(path):
            reference, candidate, analysis = _pair(where, given)
            study = stable_order(reference)[:16]
            pairs_of[study] += 1
            row = {"id": f"{study}-{pairs_of[study]}", "study": study, "reference": reference, "prediction": candidate}
            tables[named or _hashed_split(study)].append({**row, "analysis": analysis, **_counts(analysis)})
    return {"pairs": tables}


def remarks(tables: Tables) -> list[str]:
    """Return how many analyses could not be read, and why."""
    rows = [row for of_split in tables["pairs"].values() for row in of_split]
    unread = Counter(row["problem"] for row in rows if row["problem"])
    lines = [f"{unread.total()} of {len(rows)} analyses cannot be read and have no counts"] if unread else []
    return lines + [f"{count}: {problem}" for problem, count in sorted(unread.items())]


def bench_row(row: Row) -> list[Row]:
    """Return the counts of the analysis as one rater's; an empty list if the analysis could not be read."""
    if row["problem"]:
        return []
    categories = {c: {gravity: row[f"{c}_{gravity}"] for gravity in _GRAVITY} for c in CATEGORIES}
    expert = {
        "errors": row["errors"],
        "significant_errors": row["significant_errors"],
        "matched_findings": row["matched"],
        "categories": categories,
    }
    pair = {key: row[key] for key in ("id", "study", "prediction", "reference")}
    return [{**pair, "answer": row["analysis"], "expert": expert}]


def _csv(path: Path) -> Iterator[Placed]:
    return csv_rows(path, ("reference", "green_analysis"))


_READERS = {".json": json_rows, ".jsonl": json_rows, ".csv": _csv}


def _rows(path: Path) -> Iterator[Placed]:
    if path.suffix not in _READERS:
        raise InputError(f"{path}: the file name must end in {', '.join(_READERS)}")
    return _READERS[path.suffix](path)


def _pair(where: str, row: Row) -> tuple[str, str, str]:
    """Return reference, candidate and analysis of a row in any of the forms."""
    if "conv" in row:
        return _from_prompt(where, *_turns(where, row["conv"]))
    if "prompt" in row:
        prompt, turn, rest = string(where, row, "prompt").partition(_TURN)
        return _from_prompt(where, prompt, rest if turn else string(where, row, "response"))
    found = [name for name in _CANDIDATES if name in row]
    if "reference" not in row or len(found) != 1:
        expected = "'conv', 'prompt' and 'response', or 'reference', 'candidate' and 'green_analysis'"
        raise InputError(f"{where}: expected the columns {expected}; found {', '.join(map(repr, row))}")
    return string(where, row, "reference"), string(where, row, found[0]), string(where, row, "green_analysis")


def _turns(where: str, conversation: Any) -> tuple[str, str]:
    """Return the prompt and the answer of a conversation."""
    messages = conversation if isinstance(conversation, list) else []
    turns = [turn for turn in messages if isinstance(turn, dict) and turn.get("from") != "system"]
    texts = [str(turn["value"]) for turn in turns if isinstance(turn.get("value"), str)]
    if [turn.get("from") for turn in turns] != ["human", "gpt"] or len(texts) != 2:
        raise InputError(f"{where}: 'conv' must be a turn of 'human', then one of 'gpt', each with 'from' and 'value'")
    return texts[0], texts[1]


def _from_prompt(where: str, prompt: str, analysis: str) -> tuple[str, str, str]:
    found = _REPORTS.search(prompt)
    if found is None or prompt.count("Candidate Report:") > 1:
        raise InputError(f"{where}: the prompt must contain one 'Reference Report:' and one 'Candidate Report:'")
    if not analysis.strip():
        raise InputError(f"{where}: the analysis is empty")
    return found["reference"], found["candidate"], analysis


def _counts(analysis: str) -> Row:
    try:
        read = read_answer(analysis)
    except UnreadableAnswer as error:
        return {"problem": str(error), **dict.fromkeys(("matched", "errors", "significant_errors", *_COUNTS))}
    counted = {
        f"{category}_{gravity}": errors.count
        for gravity, of_gravity in (("significant", read.significant), ("insignificant", read.insignificant))
        for category, errors in zip(CATEGORIES, of_gravity, strict=True)
    }
    grave = read.significant_count
    return {
        "problem": "",
        "matched": read.matched.count,
        "errors": grave + read.insignificant_count,
        "significant_errors": grave,
        **counted,
    }


def _hashed_split(study: str) -> str:
    """Choose a split by the study's hash, so that it does not depend on the other rows."""
    return {0: "test", 1: "validation"}.get(int(study, 16) % 10, "train")


DATASET = Dataset(
    name="green_pairs",
    about="pairs of chest X-ray reports with GPT-4's analysis of the errors; the training data of GREEN",
    source="a JSON or CSV file of huggingface.co/datasets/StanfordAIMI/GREEN, or the folder with these files",
    terms="the terms of its six sources (one is MIMIC-CXR: PhysioNet credentialed): may not be published",
    configs={"pairs": DatasetPart(SCHEMA, SPLITS, bench_row)},
    read=read,
    default_bench=("pairs", "test"),
    remarks=remarks,
)
