"""Mark a finding that only one report states: strike the invented words, insert the missing ones where they belong."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from radeval_core.findings.claims import Claim
from radeval_core.findings.differences import denials_like
from radeval_core.findings.types import Finding, ParsedReport, Sentence
from radeval_core.ui.sheet.marks import Edit
from radeval_core.ui.sheet.wrong_words import inner_end, phrase_span, trimmed


def struck(claim: Claim, denial: Finding | None, reference: ParsedReport, candidate: ParsedReport) -> tuple[Edit, ...]:
    """Return the edits that strike a finding the reference does not state, wherever the candidate repeats it.

    Args:
        claim: the finding in the candidate.
        denial: the mention in the reference that denies it, or None.
        reference: the reference.
        candidate: the candidate.
    """
    return tuple(dict.fromkeys(_strikes(claim, denial, reference, candidate)))


def _strikes(claim: Claim, denial: Finding | None, reference: ParsedReport, candidate: ParsedReport) -> Iterator[Edit]:
    own = set(claim.mentions)
    for mention in claim.mentions:
        if all(other in own for other in _stated_in(candidate, mention)):
            start, end = _inner(candidate, mention)
            right = _sentence(reference, denial) if denial is not None and not denial.implied else ""
            yield trimmed(candidate.text, start, end, right)
        else:
            yield Edit(*phrase_span(candidate, mention))


def inserted(
    claim: Claim,
    state: Callable[[str], str],
    denial: Finding | None,
    reference: ParsedReport,
    candidate: ParsedReport,
) -> tuple[Edit, ...]:
    """Return the edits that add a finding the candidate leaves out or denies.

    Args:
        claim: the finding in the reference.
        state: returns the finding as a sentence, as much like a given sentence of the candidate as possible.
        denial: the mention in the candidate that denies it, or None.
        reference: the reference.
        candidate: the candidate.
    """
    if denial is None:
        place = _place(claim, reference, candidate)
        return (Edit(place, place, state("")),)
    said = denials_like(denial, claim, candidate)
    edits = [_asserted(mention, state, candidate) for mention in said]
    if not any(edit.right for edit in edits):
        place = said[0].sentence_end
        edits.append(Edit(place, place, state("")))
    return tuple(edits)


def _asserted(denial: Finding, state: Callable[[str], str], candidate: ParsedReport) -> Edit:
    """Return the edit of a denial: the statement in its place, if its sentence says nothing else, or struck words."""
    if denial.implied or any(other is not denial for other in _stated_in(candidate, denial)):
        return Edit(denial.start, denial.end)
    start, end = _inner(candidate, denial)
    return trimmed(candidate.text, start, end, state(candidate.text[start:end]).rstrip("."))


def _stated_in(report: ParsedReport, mention: Finding) -> list[Finding]:
    """Return what the sentence of a mention states."""
    return [f for f in report.every if f.sentence_start == mention.sentence_start and not f.implied]


def _inner(report: ParsedReport, mention: Finding) -> tuple[int, int]:
    """Return the sentence of a mention without its period."""
    return mention.sentence_start, inner_end(report, mention)


def _sentence(report: ParsedReport, mention: Finding) -> str:
    start, end = _inner(report, mention)
    return report.text[start:end]


def _place(claim: Claim, reference: ParsedReport, candidate: ParsedReport) -> int:
    """Return where a missing finding belongs: after the last sentence about its region, else at the end.

    The section in which the reference states it comes first.
    """
    section = _section(reference, claim.stated)
    wanted = _regions(claim.anatomy, candidate)
    best, place = (0, False), _end(candidate, section)
    for finding in candidate.every:
        if finding.implied:
            continue
        shared = len(_regions(finding.anatomy, candidate) & wanted)
        rank = (shared, _section(candidate, finding) == section)
        if shared and rank >= best:
            best, place = rank, finding.sentence_end
    return place


def _end(candidate: ParsedReport, section: str) -> int:
    """Return the end of the section, or of the report if it has no such section."""
    ends = [s.end for s in candidate.sentences if s.section == section]
    return max(ends, default=len(candidate.text.rstrip()))


def _section(report: ParsedReport, finding: Finding) -> str:
    home: Sentence | None = next((s for s in report.sentences if s.start == finding.sentence_start), None)
    return home.section if home else ""


def _regions(places: tuple[str, ...], report: ParsedReport) -> set[str]:
    """Return regions and those that contain them, without whole parts of the body, which say too little."""
    lexicon = report.lexicon
    known = (place for place in places if place in lexicon.regions)
    nested = {region for place in known for region in (place, *lexicon.ancestors(place))}
    return {region for region in nested if lexicon.regions[region].parent or region in places}
