"""The comparison with published readings, on invented reports."""

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "compare_published_readings.py"
REFERENCES = [
    "Small left pleural effusion. The heart is normal.",
    "Clear lungs.",
    "Pleural effusion. Calcified granuloma.",
]


def run(*arguments) -> str:
    return subprocess.run(
        [sys.executable, str(TOOL), *map(str, arguments)], capture_output=True, text=True, check=True
    ).stdout


def test_without_the_data_it_says_so(tmp_path):
    assert run(tmp_path) == f"skipped: {tmp_path} has no dev.jsonl and no systems.json\n"


def test_comparison(tmp_path):
    rows = [
        {
            "id": f"one-{i}",
            "system": "one",
            "prediction": "Clear lungs.",
            "reference": reference,
            "radgraph": {"simple": i / 4, "partial": i / 4, "complete": i / 4},
        }
        for i, reference in enumerate(REFERENCES)
    ]
    (tmp_path / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cells = {
        "Pleural Effusion": {"tp": 0, "fp": 0, "fn": 10},
        "No Finding": {"tp": 10, "fp": 2, "fn": 0},
        "Lung Lesion": {"tp": 0, "fp": 0, "fn": 9},
    }
    (tmp_path / "systems.json").write_text(json.dumps({"one": {"chexbert_per_label": cells}}))
    many = tmp_path / "references.jsonl"
    many.write_text("".join(json.dumps({"reference": text}) + "\n" for text in REFERENCES * 5))
    lines = run(tmp_path, "--references", many).splitlines()
    assert lines[0].startswith("radgraph_f1, embedded config, 3 pairs")
    assert lines[1].split()[:2] == ["all", "simple"] and lines[1].split()[-1] == "0.250"
    # 5 of the 15 references have no finding; the three predictions are scaled to 15 reports
    assert [line.split()[-3:] for line in lines[9:]] == [["10", "10", "10"], ["10", "5*", "5*"], ["12", "~15*", "~15*"]]
