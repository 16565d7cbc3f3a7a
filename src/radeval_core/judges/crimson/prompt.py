"""Build the authors' prompt about a pair of reports from its sections, see prompt.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

#: sections before and after those that only some models get; the reports and the context follow the first
_FIRST = "objective"
_SECTIONS = (
    *("task_steps", "clinical_significance_levels", "significance_examples", "significance_application"),
    *("attribute_severity_levels", "error_categories", "matching_criteria", "attribute_error_instructions"),
    *("attribute_severity_guidelines", "context_guidelines", "output_format", "important_notes"),
)
#: sections that the published checkpoint was trained without
_GUIDELINES = {"significance_examples", "attribute_severity_guidelines", "context_guidelines"}


def build_prompt(reference: str, candidate: str, context: Mapping[str, Any] | None, guidelines: bool) -> str:
    """Return the prompt about a pair.

    Args:
        reference: the reference report.
        candidate: the candidate report.
        context: what is known about the patient, as names and values in their order; nothing if None or empty.
        guidelines: add examples of levels and guidelines; the published checkpoint was trained without them.
    """
    left_out = set() if guidelines else set(_GUIDELINES)
    if not context:
        left_out.add("context_guidelines")
    known = "".join(f"    {name}: {value}\n" for name, value in (context or {}).items())
    parts = [
        sections()[_FIRST],
        f"Patient Context:\n{known}" if known else "",
        f"Reference Findings (Ground Truth):\n{reference}",
        f"Predicted Findings (Candidate):\n{candidate}",
        *(sections()[name] for name in _SECTIONS if name not in left_out),
    ]
    return "\n\n".join(part for part in parts if part)


@cache
def sections() -> dict[str, str]:
    """Return the sections of the prompt, and the sentence `system`, by name."""
    text = resources.files(__package__).joinpath("prompt.yaml").read_text("utf-8")
    found: dict[str, str] = yaml.safe_load(text)
    return found
