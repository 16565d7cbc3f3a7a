"""Made-up answers of judge models in the forms of CRIMSON and RadFact, to time how they are read and scored.

Needs the standard library alone: both sides of bench_peers.py import it, each in its own environment.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random

FINDINGS = ("small left pleural effusion", "mild cardiomegaly", "right basal atelectasis", "healed rib fracture")
LEVELS = ("urgent", "actionable_not_urgent", "not_actionable_not_urgent", "benign_expected")


@cache  # writing the answers is no part of the work that is timed: the fastest pass finds them written
def crimson_answers(n: int, seed: int = 0) -> list[str]:
    """Return n evaluations as CRIMSON's judge writes them: findings, matches and errors as JSON."""
    rng = Random(seed)
    return [json.dumps(_evaluation(rng), indent=2) for _ in range(n)]


def _evaluation(rng: Random) -> dict[str, object]:
    sides = {side: [_finding(f"{side}{i}", rng) for i in range(1, rng.randint(2, 7))] for side in "RP"}
    names = {side: [str(finding["id"]) for finding in found] for side, found in sides.items()}
    matched = list(zip(names["R"], names["P"], strict=False))[: rng.randint(0, 4)]
    wrong = [{"ref_id": r, "pred_id": p, **_attribute(rng)} for r, p in matched if rng.random() < 0.3]
    return {
        "reference_findings": sides["R"],
        "predicted_findings": sides["P"],
        "matched_findings": [{"ref_id": r, "pred_id": p} for r, p in matched],
        "errors": {
            "false_findings": names["P"][len(matched) :],
            "missing_findings": names["R"][len(matched) :],
            "attribute_errors": wrong,
        },
    }


def _finding(name: str, rng: Random) -> dict[str, str]:
    return {"id": name, "finding": rng.choice(FINDINGS), "clinical_significance": rng.choice(LEVELS)}


def _attribute(rng: Random) -> dict[str, object]:
    kind, severity = rng.choice(("location", "severity")), rng.choice(("significant", "negligible"))
    return {"severity": severity, "error_types": [kind], "explanation": "the reports disagree"}


@cache
def radfact_answers(n: int, seed: int = 0) -> list[tuple[list[str], list[str]]]:
    """Return n pairs of lists: the verdict on each phrase of the candidate, and of the reference, as YAML."""
    rng = Random(seed)
    return [(_verdicts(rng), _verdicts(rng)) for _ in range(n)]


def _verdicts(rng: Random) -> list[str]:
    found = []
    for _ in range(rng.randint(1, 8)):
        phrase = f"There is {rng.choice(FINDINGS)}."
        entailed = rng.random() < 0.6
        evidence = f"evidence:\n- {phrase}" if entailed else "evidence: []"
        found.append(f"phrase: {phrase}\nstatus: {'entailment' if entailed else 'not_entailment'}\n{evidence}\n")
    return found
