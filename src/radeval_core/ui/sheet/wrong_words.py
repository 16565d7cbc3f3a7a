"""Find the words of a candidate that make an error, and the words of the reference that belong there.

Every function returns edits of the candidate's text. If the words cannot be told apart (a side that a sentence takes
from the one before it), the edit is about the name of the finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from radeval_core.error_categories import WRONG_LOCATION, WRONG_SEVERITY
from radeval_core.findings.claims import Claim
from radeval_core.findings.differences import Difference
from radeval_core.findings.lexicon import Roles
from radeval_core.findings.measurements import find_sizes
from radeval_core.findings.perturb.edits import WORD
from radeval_core.findings.perturb.targets import Phrase, is_noun, phrase_start, phrases
from radeval_core.findings.perturb.words import tables
from radeval_core.findings.relations import one_side
from radeval_core.findings.text import tokenize
from radeval_core.findings.types import Finding, ParsedReport, Span
from radeval_core.ui.sheet.marks import Edit

#: words that may stand between a finding and its place
_BETWEEN = re.compile(r"\s*(?:(?:in|at|of|within|along|over|on|the|both|is|are|seen|noted|present)\s+)*", re.IGNORECASE)


def edits_between(difference: Difference, reference: ParsedReport, candidate: ParsedReport) -> tuple[Edit, ...]:
    """Return the edits of a wrongly described finding that both reports state."""
    theirs, ours = difference.reference, difference.candidate
    assert theirs is not None and ours is not None
    finders: dict[str, Callable[[], Iterator[Edit]]] = {
        "location": lambda: _wrong_place(theirs, ours, reference, candidate),
        "severity": lambda: _wrong_degree(theirs, ours, reference, candidate),
        "measurement": lambda: _wrong_size(theirs, ours, reference, candidate),
        "temporal": lambda: _wrong_change(theirs, ours, reference, candidate),
        "certainty": lambda: _wrong_certainty(theirs, ours, candidate),
        "unspecific": lambda: _left_out(difference, theirs, ours, reference, candidate),
    }
    found = finders.get(difference.aspect, lambda: iter(()))()
    edits = tuple(dict.fromkeys(edit for edit in found if edit.right or edit.end > edit.start))
    return edits or tuple(_renamed(theirs, ours, reference, candidate))


def phrase_span(report: ParsedReport, mention: Finding) -> Span:
    """Return the span of a finding with its modifiers: `small opacity in the left lower lobe`."""
    text, end = report.text, mention.end
    places = sorted((p for p in phrases(report, mention) if p.roles.region or p.roles.side), key=lambda p: p.start)
    for place in places:
        if place.start >= end and _BETWEEN.fullmatch(text, end, place.start):
            end = place.end
    if sides := re.compile(r"\s+sides?\b", re.IGNORECASE).match(text, end):
        end = sides.end()
    return min(phrase_start(report, mention), mention.start), end


def inner_end(report: ParsedReport, mention: Finding) -> int:
    """Return the end of the sentence of a mention, without its period."""
    end = mention.sentence_end
    while end > mention.end and report.text[end - 1] in ".!?":
        end -= 1
    return end


def trimmed(text: str, start: int, end: int, right: str) -> Edit:
    """Return the edit of `text[start:end]` without the words that it has in common with the right ones at its ends."""
    wrong, words = text[start:end].split(), right.split()
    head = _common(wrong, words)
    tail = _common(wrong[head:][::-1], words[head:][::-1])
    for word in wrong[:head]:
        start = text.index(word, start) + len(word)
    for word in reversed(wrong[len(wrong) - tail :] if tail else []):
        end = text.rindex(word, start, end)
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    kept = " ".join(words[head : len(words) - tail])
    return Edit(start, end, like(text[start:end], kept))


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a.lower().strip(".,;") != b.lower().strip(".,;"):
            break
        count += 1
    return count


def like(written: str, words: str) -> str:
    """Return words in the letter case of those they replace."""
    if not words or not written:
        return words
    if written.isupper() and len(written) > 3:
        return words.upper()
    if written[:1].isupper() and words[:1].islower():
        return words[:1].upper() + words[1:]
    first = re.match(r"\w*", words).group()  # type: ignore[union-attr]
    return words[:1].lower() + words[1:] if written[:1].islower() and first[1:].islower() else words


def _near(report: ParsedReport, claim: Claim, wanted: Callable[[Roles], bool]) -> Iterator[tuple[Finding, Phrase]]:
    """Yield, for each mention of a claim, the nearest phrase of its sentence with the wanted role."""
    for mention in claim.mentions:
        found = next((p for p in phrases(report, mention) if wanted(p.roles)), None)
        if found is not None:
            yield mention, found


def _words_of(report: ParsedReport, claim: Claim, wanted: Callable[[Roles], bool], otherwise: str) -> str:
    """Return the words in which a report says a part of a claim."""
    return next((report.text[p.start : p.end] for _, p in _near(report, claim, wanted)), otherwise)


def _wrong_place(theirs: Claim, ours: Claim, reference: ParsedReport, candidate: ParsedReport) -> Iterator[Edit]:
    text = candidate.text
    if theirs.misplaced != ours.misplaced:  # where the tip is takes several words: the rest of the sentence
        mention, said = ours.stated, theirs.stated
        start, end = mention.end, inner_end(candidate, mention)
        yield trimmed(text, start, end, reference.text[said.end : inner_end(reference, said)].strip())
        return
    if not one_side(theirs.laterality, ours.laterality) and theirs.laterality:
        for _, p in _near(candidate, ours, lambda r: ours.laterality in (r.side, r.form_side)):
            written = text[p.start : p.end]
            yield Edit(p.start, p.end, like(written, _sided(written, theirs.laterality)))
        return
    right = _words_of(reference, theirs, lambda r: r.region in theirs.anatomy, _spaced(theirs.anatomy))
    for _, p in _near(candidate, ours, lambda r: bool(r.region) and r.region in ours.anatomy):
        yield Edit(p.start, p.end, like(text[p.start : p.end], right))


def _sided(written: str, side: str) -> str:
    """Return words that give a side with the other side: `left-sided`, `RLL`, `bibasilar`."""
    words = tables()
    if side == "bilateral":
        return "bilateral"
    if written.lower() in words.paired:
        return f"{side} {words.paired[written.lower()]}"
    turned = WORD.sub(lambda m: "-".join(words.other_side.get(p, p) for p in m.group().lower().split("-")), written)
    if turned.lower() != written.lower():
        return turned
    if written.isupper() and written[0] in "LR":
        return side[0].upper() + written[1:]
    return side


def _wrong_degree(theirs: Claim, ours: Claim, reference: ParsedReport, candidate: ParsedReport) -> Iterator[Edit]:
    text = candidate.text
    if theirs.severity and ours.severity and not theirs.grades & ours.grades:
        right = _words_of(reference, theirs, lambda r: r.severity == theirs.severity, theirs.severity)
        for _, p in _near(candidate, ours, lambda r: r.severity == ours.severity):
            yield Edit(p.start, p.end, like(text[p.start : p.end], right))
        return
    for mention in ours.mentions:  # a wrong number of lesions
        for number in sorted(ours.numbers):
            pattern = re.compile(rf"\b{re.escape(number)}\b", re.IGNORECASE)
            if found := pattern.search(text, mention.sentence_start, mention.sentence_end):
                right = like(found.group(), ", ".join(sorted(theirs.numbers)))
                yield Edit(found.start(), found.end(), right)


def _wrong_size(theirs: Claim, ours: Claim, reference: ParsedReport, candidate: ParsedReport) -> Iterator[Edit]:
    right = next((reference.text[a:b] for a, b in _sizes(reference, theirs)), "")
    right = right or " x ".join(f"{size:g}" for size in theirs.measurements[:3]) + " mm"
    for start, end in _sizes(candidate, ours):
        yield Edit(start, end, right)


def _sizes(report: ParsedReport, claim: Claim) -> Iterator[Span]:
    """Yield where a report gives the sizes of a claim."""
    for mention in claim.mentions:
        tokens = tokenize(report.text[mention.sentence_start : mention.sentence_end])
        for first, after, sizes in find_sizes(tokens.words):
            if set(sizes) & set(mention.measurements):
                start = mention.sentence_start
                yield start + tokens.starts[first], start + tokens.ends[after - 1]


def _wrong_change(theirs: Claim, ours: Claim, reference: ParsedReport, candidate: ParsedReport) -> Iterator[Edit]:
    right = ""
    if theirs.change:
        right = _words_of(reference, theirs, lambda r: r.change == theirs.change, theirs.change)
    if ours.change:
        for _, p in _near(candidate, ours, lambda r: r.change == ours.change):
            yield Edit(p.start, p.end, like(candidate.text[p.start : p.end], right))
    else:
        end = phrase_span(candidate, ours.stated)[1]
        yield Edit(end, end, f", {right.lower()}")


def _wrong_certainty(theirs: Claim, ours: Claim, candidate: ParsedReport) -> Iterator[Edit]:
    if theirs.certain:
        for _, p in _near(candidate, ours, lambda r: "doubt" in r.cues):
            yield Edit(p.start, p.end)
    else:
        start = phrase_start(candidate, ours.stated)
        yield Edit(start, start, "possible")


def _left_out(
    difference: Difference, theirs: Claim, ours: Claim, reference: ParsedReport, candidate: ParsedReport
) -> Iterator[Edit]:
    """Insert the side, place or degree that the candidate leaves out; a vaguer name is replaced."""
    mention = ours.stated
    start, end = phrase_span(candidate, mention)
    if difference.category == WRONG_SEVERITY:
        if theirs.severity and not ours.severity and is_noun(candidate, mention):
            word = _words_of(reference, theirs, lambda r: r.severity == theirs.severity, theirs.severity)
            yield Edit(start, start, like(candidate.text[start : start + 1], word.lower()))
        elif theirs.measurements and not ours.measurements:
            size = next((reference.text[a:b] for a, b in _sizes(reference, theirs)), "")
            yield Edit(end, end, f", {size}" if size else "")
        else:
            yield Edit(start, start, theirs.severity or "")
    elif difference.category == WRONG_LOCATION:
        if theirs.laterality in ("left", "right") and not ours.laterality:
            yield Edit(mention.start, mention.start, like(candidate.text[mention.start], theirs.laterality))
        else:
            place = _words_of(reference, theirs, lambda r: r.region in theirs.anatomy, _spaced(theirs.anatomy))
            yield Edit(end, end, f"({place.lower()})")


def _renamed(theirs: Claim, ours: Claim, reference: ParsedReport, candidate: ParsedReport) -> Iterator[Edit]:
    """Replace the name of a finding by the reference's, with its modifiers if the names are the same."""
    right = theirs.stated.text
    for mention in ours.mentions:
        if mention.text.lower() != right.lower():
            yield Edit(mention.start, mention.end, like(mention.text, right))
            return
    mention = ours.stated
    start, end = phrase_span(candidate, mention)
    first, last = phrase_span(reference, theirs.stated)
    yield trimmed(candidate.text, start, end, reference.text[first:last])


def _spaced(places: tuple[str, ...]) -> str:
    return " and ".join(place.replace("_", " ") for place in places)
