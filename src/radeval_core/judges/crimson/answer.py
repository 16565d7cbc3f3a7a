"""Read a CRIMSON evaluation from the text of an answer. An answer that cannot be read has no score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from radeval_core.functional.crimson import ATTRIBUTE, FALSE, LEVELS, MISSING, SEVERITIES, crimson
from radeval_core.judges.crimson.analysis import CrimsonAnalysis
from radeval_core.judges.crimson.loose_json import read_object
from radeval_core.judges.json_answer import json_blocks
from radeval_core.judges.verdict import UnreadableAnswer

#: the keys of an evaluation; an answer without one of them is incomplete
KEYS = ("reference_findings", "predicted_findings", "matched_findings", "errors")


def read_answer(answer: str) -> CrimsonAnalysis:
    """Return the evaluation in an answer: one JSON object, optionally with text or fences around it.

    Raises:
        UnreadableAnswer: the answer contains no evaluation, several different ones, or one that cannot be scored.
    """
    found: list[dict[str, Any]] = []
    problem = "there is no JSON object in the answer"
    for block in json_blocks(answer):
        try:
            for value in _objects(block):
                found += [value] if value not in found else []
        except ValueError as error:
            problem = f"the answer is not valid JSON: {error}"
            found.clear()
            break
    if not found:
        raise UnreadableAnswer(problem)
    if len(found) > 1:
        raise UnreadableAnswer(f"there are {len(found)} different JSON objects in the answer: give one")
    missing = [key for key in KEYS if key not in found[0]]
    if missing:
        raise UnreadableAnswer(f"the answer has no {', '.join(missing)}")
    try:
        return CrimsonAnalysis(found[0], crimson(found[0]))
    except ValueError as error:
        raise UnreadableAnswer(str(error)) from None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost objects of a text: as strict JSON if it is, else with the slips of models."""
    place = 0
    while (start := text.find("{", place)) >= 0:
        try:
            value, place = _STRICT.raw_decode(text, start)
        except (ValueError, RecursionError):
            value, place = read_object(text, start)
            if not _in_form(value):
                raise ValueError("an entry has not the requested form") from None
        yield value


def _in_form(evaluation: dict[str, Any]) -> bool:
    """Return whether a repaired evaluation has the requested form: a repair must not have swallowed a field."""
    try:
        errors = evaluation["errors"]
        findings = [*evaluation["reference_findings"], *evaluation["predicted_findings"]]
        return (
            all(finding["clinical_significance"] in LEVELS and finding["id"] for finding in findings)
            and all(match["ref_id"] and match["pred_id"] for match in evaluation["matched_findings"])
            and all(isinstance(name, str) for kind in (FALSE, MISSING) for name in errors[kind])
            and all(error["severity"] in SEVERITIES and error["ref_id"] for error in errors[ATTRIBUTE])
        )
    except (KeyError, TypeError):
        return False


def _first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return dict(reversed(pairs))


_STRICT = json.JSONDecoder(object_pairs_hook=_first_wins, strict=False)
