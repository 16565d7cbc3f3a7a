"""Invented pairs and answers for the tests of reader studies."""

import json

from radeval_core.reading.cases import read_rows
from radeval_core.reading.desk import Desk
from radeval_core.reading.study import create_study

#: two studies with two candidates each, and one with one
PAIRS = [
    {
        "id": "a1",
        "study": "a",
        "candidate": "model-x",
        "prediction": "Small right pleural effusion. Heart is normal.",
        "reference": "Small left pleural effusion. Heart is normal.",
    },
    {
        "id": "a2",
        "study": "a",
        "candidate": "model-y",
        "prediction": "No effusion. Heart is large.",
        "reference": "Small left pleural effusion. Heart is normal.",
    },
    {"id": "b1", "study": "b", "candidate": "model-x", "prediction": "Clear lungs.", "reference": "Nodule of 8 mm."},
    {
        "id": "b2",
        "study": "b",
        "candidate": "model-y",
        "prediction": "Nodule of 3.5 cm.",
        "reference": "Nodule of 8 mm.",
    },
    {
        "id": "c1",
        "study": "c",
        "candidate": "model-x",
        "prediction": "FINDINGS: Old rib fracture.\nNo pneumothorax.",
        "reference": "Pneumothorax on the left.",
        "age": 70,
        "indication": "Fall.",
    },
]


def write_pairs(folder, pairs=PAIRS, name="pairs.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in pairs), "utf-8")
    return path


def make_study(folder, pairs=PAIRS, readers=("anna", "bo"), **options):
    """Make a store below a folder; return it with the owner's token and the readers' secrets."""
    study, token = create_study(folder / "store", read_rows(write_pairs(folder, pairs)), **options)
    return study, token, {name: study.add_reader(name, seed=7) for name in readers}


def desk_of(study, name):
    return Desk(study, study.reader(name))


def counts(**errors):
    """Return counts by category; a number is of significant errors, a pair of both kinds."""
    both = {c: n if isinstance(n, tuple) else (n, 0) for c, n in errors.items()}
    return {c: {"significant": s, "insignificant": i} for c, (s, i) in both.items()}


def answer(*candidates, **case):
    """Return a finished reading."""
    return {"candidates": list(candidates), "done": True, **case}


_saves = iter(range(10**9))


def save(desk, key, reading, revision=None):
    """Save a reading of a case named by its key, with candidates in the order of the file."""
    position = desk.reader.order.cases.index(key) + 1
    case = desk.study.cases[key]
    order = desk.reader.order.candidates_of(case)
    shown = {**reading, "candidates": [reading["candidates"][i] for i in order]}
    if isinstance(reading.get("preferred"), int):
        shown["preferred"] = order.index(reading["preferred"])
    revision = desk.case(position)["revision"] if revision is None else revision
    return desk.save(position, revision, f"save-{next(_saves):06d}", shown)
