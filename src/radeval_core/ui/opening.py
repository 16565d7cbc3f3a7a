"""The examples of a metric's page, and the scored one that it opens with."""

from __future__ import annotations

from collections.abc import Sequence

from radeval_core.errors import unknown_name
from radeval_core.registry import scorer_class
from radeval_core.ui.context_fields import context_from
from radeval_core.ui.examples import CONTEXT_EXAMPLES, EXAMPLES, Example
from radeval_core.ui.pair import ScoredPair, score_pair
from radeval_core.ui.space_page import FILE, SpacePage, read_page, spaces_folder

#: the name of the marked-up report in the view
SHEET = "sheet"


def page_of(name: str) -> SpacePage:
    """Return the texts of a metric's page."""
    return read_page(spaces_folder() / name / FILE)


def offered_examples(name: str) -> Sequence[Example]:
    """Return the examples of a metric's page; with patients first, if the metric uses the patient's context."""
    return (*CONTEXT_EXAMPLES, *EXAMPLES) if scorer_class(name).uses_context else EXAMPLES


def opening_example(name: str, page: SpacePage) -> Example:
    """Return the example that a page opens with: one in which the metric sees something."""
    by_label = {example.label: example for example in offered_examples(name)}
    if page.example not in by_label:
        raise unknown_name("example", page.example, by_label)
    return by_label[page.example]


def opening_pair(name: str, page: SpacePage | None = None) -> ScoredPair:
    """Return the scored pair that a page opens with."""
    example = opening_example(name, page or page_of(name))
    known = patient(name, example)
    context = context_from(known) if known else None
    return score_pair(name, example.reference, example.candidate, context=context, sheet=SHEET)


def patient(name: str, example: Example) -> tuple[str, ...]:
    """Return the fields of the patient in an example; empty if the metric does not use them."""
    if not scorer_class(name).uses_context:
        return ()
    return example.age, example.sex, example.indication, example.history
