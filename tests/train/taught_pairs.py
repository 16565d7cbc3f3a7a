"""Invented pairs, and a teacher's answers about them."""

import json

WRONG_SIDE = """[Explanation]:
The side is wrong.

[Clinically Significant Errors]:
(c) Misidentification of a finding's anatomic location/position: 1. right, not left

[Clinically Insignificant Errors]:
None.

[Matched Findings]:
2. effusion; edema"""
MISSING = WRONG_SIDE.replace("(c) Misidentification of a finding's anatomic location/position", "(b) Missing a finding")


def pair(number, **more):
    row = {
        "id": f"p{number}",
        "study": f"s{number // 2}",
        "reference": f"Right effusion of {number + 10} mm. Mild edema.",
        "prediction": f"Left effusion of {number + 10} mm. Mild edema.",
        "heuristic": "permutation",
    }
    return {**row, **more}


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)
