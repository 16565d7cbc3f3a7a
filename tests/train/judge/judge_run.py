"""A tiny random Llama, a small training file of invented pairs, and the command that trains one on the other."""

import json
import sys
from pathlib import Path

from radeval_core.judges.green.instructions import GreenInstructions
from tiny_llama import make_tiny_llama

ANSWER = """[Explanation]:
The side is wrong.

[Clinically Significant Errors]:
(c) Misidentification of a finding's anatomic location/position: 1. effusion is {side}

[Clinically Insignificant Errors]:
None.

[Matched Findings]:
1. clear lungs"""
COUNTS = {"significant": {"wrong_location": 1}, "insignificant": {}, "matched": 1}


def make_base(folder: Path, chat: bool = True, context: int = 4096) -> Path:
    question = GreenInstructions().request("Small right effusion.", "Small left effusion.").rendered
    make_tiny_llama(folder, [question, ANSWER] * 3, context=context)
    if not chat:
        (folder / "chat_template.jinja").unlink()
    return folder


def judge_row(number: int, split: str, **changes: object) -> dict[str, object]:
    side, other = ("right", "left") if number % 2 else ("left", "right")
    return {
        "id": f"side:{number}", "study": str(number), "split": split, "metric": "green",
        "reference": f"Small {side} effusion of {number} cm. Clear lungs.",
        "prediction": f"Small {other} effusion of {number} cm. Clear lungs.",
        "answer": ANSWER.format(side=side), "counts": COUNTS, "teacher": "injected", "heuristic": "side", **changes,
    }  # fmt: skip


def write_rows(path: Path, rows: list[dict[str, object]] | None = None) -> Path:
    splits = ["train"] * 6 + ["validation"] * 2 + ["test"] * 2
    rows = rows or [judge_row(number, split) for number, split in enumerate(splits)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def arguments(base: Path, data: Path, out: Path, *more: str) -> list[str]:
    """Return the arguments of a run of three steps."""
    return ["train", "judge", "--base", str(base), "--data", str(data), "--out", str(out), "--epochs", "1",
            "--batch", "1", "--total-batch", "2", "--eval-rows", "1", "--device", "cpu", *more]  # fmt: skip


def command(*given: object) -> list[str]:
    return [sys.executable, "-m", "radeval_core.cli", *arguments(*given)]
