"""A benchmark of six invented studies that scores quickly, and submissions to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from radeval_core.leaderboard.benchmark import Benchmark, load_benchmark, revision_of
from radeval_core.leaderboard.submission import System
from radeval_core.leaderboard.submission_result import SubmissionResult

REFERENCES = {
    "s1": "Small left pleural effusion. The heart is normal in size.",
    "s2": "No pneumothorax. Mild cardiomegaly, unchanged.",
    "s3": "Consolidation in the right lower lobe, likely pneumonia.",
    "s4": "Nodule of 8 mm in the left upper lobe.",
    "s5": "Moderate right apical pneumothorax.",
    "s6": "The lungs are clear. No pleural effusion.",
}
#: the studies of `outcome`
STUDIES = tuple(f"s{i}" for i in range(40))
SYSTEM = {"name": "Example system", "link": "https://example.org/model", "training_data": "Invented reports only."}
LIMITS = {
    "file_bytes": 20_000,
    "report_characters": 300,
    "name_characters": 40,
    "link_characters": 60,
    "training_data_characters": 100,
    "submissions": 10,
}


def write_benchmark(folder: Path, references: dict[str, str] | None = None, **changes: Any) -> Benchmark:
    """Write a benchmark folder and load it."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"id": key, "modality": "X-Ray", "anatomy": "CHEST", "question": "what is there?", "reference": text}
        for key, text in (references or REFERENCES).items()
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (folder / "studies.jsonl").write_bytes(data)
    fields = {
        "name": "small",
        "title": "Small",
        "summary": "Six invented studies.",
        "about": "Six invented studies, to test with.",
        "dataset": "radeval/small",
        "licence": "apache-2.0",
        "revision": revision_of(data),
        "metrics": {"green": "embedded", "fineradscore": "embedded", "bleu": "embedded"},
        "limits": LIMITS,
    }
    (folder / "benchmark.yaml").write_text(yaml.safe_dump({**fields, **changes}, sort_keys=False), "utf-8")
    return load_benchmark(str(folder))


def rows(**changed: Any) -> list[dict[str, Any]]:
    """Return one row per study, with some predictions changed; None omits a study."""
    texts = {**dict.fromkeys(REFERENCES, "The lungs are clear."), **changed}
    return [{"id": key, "prediction": text} for key, text in texts.items() if text is not None]


def jsonl(predictions: list[Any] | None = None, **system: Any) -> bytes:
    """Return a submission as JSONL."""
    lines = [{"system": {**SYSTEM, **system}}, *(rows() if predictions is None else predictions)]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def outcome(name, green, bleu=None, fineradscore=None, version="v1", date="2026-01-01", ids=STUDIES, **fields):
    """Return a result with these scores per study; NaN is unscored."""
    columns = {"green": green, "bleu": green if bleu is None else bleu}
    columns["fineradscore"] = green if fineradscore is None else fineradscore
    metrics = {
        key: {
            "score": None if np.isnan(values).all() else float(np.nanmean(values)),
            "ci95": None,
            "n": int((~np.isnan(values)).sum()),
            "unscored": 0,
            "higher_is_better": key != "fineradscore",
            "signature": f"{key}|{version}",
        }
        for key, values in columns.items()
    }
    scores = {key: tuple(None if np.isnan(v) else float(v) for v in values) for key, values in columns.items()}
    system = System(name, "https://example.org", "none")
    return SubmissionResult(name, "small", "r1", version, "0.1.0", date, system, "", metrics, ids, scores, **fields)
