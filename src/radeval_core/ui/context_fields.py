"""The optional fields of a page for what is known about the patient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gradio as gr

from radeval_core.patient_context import CONTEXT_FIELDS

_HINTS = {
    "age": "75, 75 years, 3 months",
    "sex": "F or M",
    "indication": "why the examination was made",
    "history": "diseases, operations, earlier examinations",
}
#: maximum characters of a field
MAX_CHARACTERS = 2_000


def context_fields(is_open: bool = True, values: Sequence[str] = ()) -> list[gr.Textbox]:
    """Draw one box per field of a context, and return them in the order of the fields.

    Args:
        is_open: False to fold them.
        values: what is in them at first.
    """
    start = dict(zip(CONTEXT_FIELDS, values, strict=False))
    with gr.Accordion("Patient (optional): changes how much a finding weighs", open=is_open), gr.Row():
        return [
            gr.Textbox(
                value=start.get(name, ""),
                label=name.capitalize(),
                placeholder=_HINTS[name],
                lines=1,
                max_length=MAX_CHARACTERS,
                scale=1 if name in ("age", "sex") else 4,
                min_width=90 if name in ("age", "sex") else 220,
                elem_id=f"context-{name}",
            )
            for name in CONTEXT_FIELDS
        ]


def context_from(values: Sequence[str | None]) -> Mapping[str, str]:
    """Return the fields that a visitor filled in; an untouched box sends null."""
    return {name: value for name, value in zip(CONTEXT_FIELDS, values, strict=True) if value and value.strip()}
