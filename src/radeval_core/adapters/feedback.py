"""What is wrong with a prediction, in sentences: read from the `details` of metrics that list errors.

The sentences quote the reports' findings, so treat them as you treat the reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def error_texts(details: Mapping[str, Any]) -> list[str]:
    """Return the errors that the details of a pair list, the clinically significant ones first.

    Judges that count errors by category (green, chexprompt), crimson, fineradscore and radfact list errors. The list is
    empty for other metrics, and for a prediction without errors.
    """
    return [*_by_category(details), *_of_findings(details), *_corrections(details), *_not_entailed(details)]


def lists_errors(details: Mapping[str, Any]) -> bool:
    """Return True if details have a place for errors, so that no errors means that there are none."""
    return any(key in details for key in ("significant", "attribute_errors", "corrections")) or _has_phrases(details)


def feedback(details: Mapping[str, Any]) -> str:
    """Return the details of a pair as one text: why it is unscored, or its errors, one per line."""
    if details.get("reason"):
        return str(details["reason"])
    errors = error_texts(details)
    if errors:
        return "\n".join(errors)
    return "No error was found." if lists_errors(details) else ""


def _by_category(details: Mapping[str, Any]) -> Iterator[str]:
    for severity in ("significant", "insignificant"):
        for category, errors in details.get(severity, {}).items():
            name = f"Clinically {severity} {category.replace('_', ' ')}"
            texts = [entry["text"] for entry in errors["entries"]]
            yield from (f"{name}: {text}." for text in texts)
            if not texts:  # a model may count errors without listing them
                yield f"{name}: {errors['count']}."


def _of_findings(details: Mapping[str, Any]) -> Iterator[str]:
    """Yield the errors of crimson, which names findings by their ids."""
    if "attribute_errors" not in details:
        return
    findings = {f["id"]: f for side in ("reference", "prediction") for f in details[f"{side}_findings"]}
    for key, what in (("missing_findings", "Missing finding"), ("false_findings", "False finding")):
        for one in details[key]:
            significance = findings[one]["significance"].replace("_", " ")
            yield f"{what} ({significance}): {findings[one]['finding']}."
    for error in details["attribute_errors"]:
        yield f"Wrong {', '.join(error['types'])} ({error['severity']}): {error['text']}."


def _corrections(details: Mapping[str, Any]) -> Iterator[str]:
    for one in details.get("corrections") or []:
        yield f"{one['rating']}: {one['comment']}"


def _has_phrases(details: Mapping[str, Any]) -> bool:
    sides = [details.get(side) for side in ("prediction", "reference")]
    return any(isinstance(side, list) and side and "entailed" in side[0] for side in sides)


def _not_entailed(details: Mapping[str, Any]) -> Iterator[str]:
    if not _has_phrases(details):
        return
    for side, what in (("prediction", "Not supported by the reference"), ("reference", "Missing in the prediction")):
        for phrase in details[side]:
            if not phrase["entailed"]:
                yield f"{what}: {phrase['phrase']}" + (f" ({phrase['why']})." if phrase["why"] else ".")
