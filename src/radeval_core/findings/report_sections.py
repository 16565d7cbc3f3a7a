"""Take one section out of a report: its findings, its impression, or both without the rest.

The rule for reports without headings is part of the result, so that it can be counted:

- A report without any section heading is taken whole, whichever section is asked for.
- Text without a heading of its own in a report with headings is its body, so it counts as findings. Text right before a
  heading for the findings does not: it is the title of the study.
- A report with headings, but without the section asked for, is empty.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.findings.lexicon_files import headings
from radeval_core.findings.parser import FindingsParser
from radeval_core.findings.text import CLOSING, OTHER, REPORTED, SentenceSpan, sentence_spans

#: what a user can ask for, and the sections of sentences it consists of; the body of a report has no name
SECTIONS: dict[str, tuple[str, ...]] = {
    "findings": ("findings", ""),
    "impression": ("impression",),
    "both": ("findings", "", "impression"),
}
#: the section was found; the report has no headings; it has headings, but not this section; there is no text at all
FOUND, WHOLE, MISSING, EMPTY = "found", "whole", "missing", "empty"
#: one heading for both sections, which `sections.yaml` lists under findings
_COMBINED = re.compile(r"findings\s*(?:and|[/&,-])?\s*impressions?\s*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SectionText:
    """The text of a section.

    Attributes:
        text: the section, without its heading.
        how: `found`, `whole`, `missing` or `empty`.
    """

    text: str
    how: str


def section_text(text: str, section: str, parser: FindingsParser) -> SectionText:
    """Return a section of a report.

    Args:
        text: the report.
        section: one of SECTIONS.
        parser: finds the body of reports that have no heading for it.
    """
    if not text.strip():
        return SectionText(text, EMPTY)
    if not any(span.heading in (*REPORTED, OTHER, CLOSING) for span in sentence_spans(text, headings())):
        return SectionText(text, WHOLE)
    spans = _without_title(parser.spans(text))
    parts = _parts(text, spans, SECTIONS[section])
    if not parts and section == "impression" and _COMBINED.search(text):
        parts = _parts(text, spans, ("findings",))
    return SectionText("\n".join(parts), FOUND if parts else MISSING)


def _without_title(spans: Sequence[SentenceSpan]) -> list[SentenceSpan]:
    """Return the sentences without those that stand, without a heading, right before the findings."""
    kept: list[SentenceSpan] = []
    following = ""
    for span in reversed(spans):
        if span.heading or following != "findings":
            kept.append(span)
        following = span.heading or following
    return kept[::-1]


def _parts(text: str, spans: Sequence[SentenceSpan], wanted: tuple[str, ...]) -> list[str]:
    """Return the pieces of the report under the wanted headings, as they are written."""
    pieces: list[tuple[int, int]] = []
    before: SentenceSpan | None = None
    for span in spans:
        if span.heading in wanted:
            goes_on = before is not None and before.heading == span.heading and not span.opens and bool(pieces)
            start = pieces.pop()[0] if goes_on else span.start
            pieces.append((start, span.end))
        before = span
    return [text[start:end] for start, end in pieces]
