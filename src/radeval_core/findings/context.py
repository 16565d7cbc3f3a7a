"""Find which tokens of a sentence are negated, uncertain, or not about this study.

Each cue has a scope, as in NegEx and ConText (Chapman et al. 2001, Harkema et al. 2009). The rules for lists, run-on
sentences and double negation are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch

_NO_CUES: set[str] = set()
_NO_LABELS: set[int] = set()
_JOINS = frozenset({",", "and", "or", "&", "/"})
_COPULA = frozenset({"is", "are", "was", "were", "has", "have", "be", "been"})
_VERBS = frozenset({"is", "are", "was", "were"})
#: participles that state that something is there
_STATED = frozenset({"observed", "seen", "noted", "detected", "present", "identified", "visible", "demonstrated"})
_IN_PATHOLOGY = frozenset({("in", "pathological"), ("in", "pathologic"), ("of", "pathological")})
_ALTERNATIVES = frozenset({"versus", "vs", "favored"})
_CAUSES = frozenset({"cause", "etiology", "source", "origin", "reason"})
#: a scope of doubt ends at these words: `possible pneumonia with effusion` does not doubt the effusion
_ACCOMPANYING = frozenset({"with", "associated"})


@dataclass(slots=True)
class Context:
    """Flags per token of a sentence.

    Attributes:
        negated: the statement at this token is denied.
        doubted: the statement at this token is uncertain.
        skipped: the token is not part of a statement about this study.
        breaks: the token ends a clause; no scope and no modifier reaches across it.
    """

    negated: list[bool]
    doubted: list[bool]
    skipped: list[bool]
    breaks: list[bool]


def read_context(words: Sequence[str], matches: Sequence[FormMatch], lexicon: Lexicon) -> Context:
    """Find the scopes of all cues in a sentence."""
    size = len(words)
    context = Context([False] * size, [False] * size, [False] * size, [False] * size)
    if ")" in words:
        _break_at_numbers(words, context.breaks)
    cued = [match for match in matches if match.roles.cues]
    if not cued and ";" not in words:
        return context
    cue_at: list[set[str]] = [_NO_CUES] * size
    for match in cued:
        for i in range(match.start, match.end):
            cue_at[i] = match.roles.cues
        if "terminate" in match.roles.cues:
            for i in range(match.start, match.end):
                context.breaks[i] = True
    if ";" in words:
        for i, word in enumerate(words):
            if word == ";":
                context.breaks[i] = True
    restart = lexicon.words["restart"]
    verbs = lexicon.words["verb"]
    subjects = {m.start for m in matches if m.roles.region and _begins_statement(words, m.end)}
    labels = _labels(words, matches) if ":" in words else _NO_LABELS
    subjects |= labels
    cancelled = _double_negations(words, cued)
    for number, match in enumerate(cued):
        cues = match.roles.cues
        if match.roles.finding:
            continue
        complete = words[match.end - 1] == "none" and match.end in labels  # `complications: none specimen: sent`
        if "negate" in cues and number not in cancelled and not complete:
            for i in _forward(words, match.end, cue_at, context.breaks, restart, subjects, doubt=False):
                context.negated[i] = True
        if "doubt" in cues:
            for i in _forward(words, match.end, cue_at, context.breaks, restart, subjects, doubt=True):
                context.doubted[i] = True
        if "skip" in cues:
            for i in _forward(words, match.end, cue_at, context.breaks, frozenset(), set(), doubt=False):
                context.skipped[i] = True
        if "skip_after" in cues:
            for i in _backward(words, match.start, cue_at, context.breaks, labels):
                context.skipped[i] = True
        if "negate_after" in cues:
            for i in _backward(words, match.start, cue_at, context.breaks, labels):
                context.negated[i] = True
            if words[match.end : match.end + 2] in _IN_PATHOLOGY:  # `nodes are not observed in pathological size`
                context.negated[match.end + 1] = True
        if "doubt_after" in cues:
            between_alternatives = not _ALTERNATIVES.isdisjoint(words[match.start : match.end])
            stop = verbs if between_alternatives else None
            for i in _backward(words, match.start, cue_at, context.breaks, labels, stop):
                context.doubted[i] = True
    return context


def _begins_statement(words: Sequence[str], end: int) -> bool:
    """Return whether a region with this end is the subject of a statement: `heart is enlarged`.

    `No lymph node was detected` is one denial, so a verb that only says that something is seen begins none.
    """
    return end < len(words) and words[end] in _COPULA and not (end + 1 < len(words) and words[end + 1] in _STATED)


def _break_at_numbers(words: Sequence[str], breaks: list[bool]) -> None:
    """Let a numbered item end the clause before it: `none 1) polyp`."""
    for i in range(1, len(words) - 1):
        if words[i].isdigit() and words[i + 1] == ")" and "(" not in words[max(0, i - 3) : i]:
            breaks[i] = breaks[i + 1] = True


def _labels(words: Sequence[str], matches: Sequence[FormMatch]) -> set[int]:
    """Return the first token of each label of a field: `effusion: none`, `complications: none`."""
    begins = {m.end - 1: m.start for m in matches}
    return {begins.get(i - 1, i - 1) for i, word in enumerate(words) if word == ":" and i and words[i - 1].isalpha()}


def _double_negations(words: Sequence[str], matches: Sequence[FormMatch]) -> set[int]:
    """Return negations that follow each other directly and cancel out: `not without`, `no absence of`."""
    cancelled: set[int] = set()
    last: tuple[int, FormMatch] | None = None
    for number, match in enumerate(matches):
        if "negate" not in match.roles.cues:
            continue
        if last is not None and last[0] not in cancelled and words[match.start] not in ("no", "nor"):
            follows = match.start == last[1].end
            cancelled |= {last[0], number} if follows else set()
        last = (number, match)
    return cancelled


def _forward(
    words: Sequence[str],
    start: int,
    cue_at: list[set[str]],
    breaks: list[bool],
    restart: frozenset[str],
    subjects: set[int],
    doubt: bool,
) -> range:
    """Return the tokens to the right of a cue that are in its scope."""
    size = len(words)
    end = start
    while end < size:
        word, cues = words[end], cue_at[end]
        if breaks[end] or "affirm" in cues:
            break
        if doubt and word in _ACCOMPANYING:
            break
        if end > start and end in subjects:  # a new statement begins: `no effusion heart is enlarged`
            break
        if end > start:
            if "skip" in cues and not doubt:
                break
            joined = words[end - 1] in (",", "and")
            if joined and (word in restart or ("doubt" in cues and not doubt) or "negate" in cues):
                break
            if "normal" in cues and joined:
                break
        if doubt and word == "," and not _list_goes_on(words, end, breaks):
            break
        if not doubt and word in (",", "and") and end > start and _clause_follows(words, start, end, breaks):
            break
        if word == "and" and end + 1 < size and words[end + 1] in ("the", "there"):
            break
        end += 1
    return range(start, end)


def _clause_follows(words: Sequence[str], start: int, at: int, breaks: list[bool]) -> bool:
    """Return whether a new statement follows a comma or `and`: `no mass is seen, and a nodule is observed`.

    The denial has a verb already, or a comma and `and` end it, and another subject with a verb follows.
    """
    comma = words[at] == "," and words[at + 1 : at + 2] == ("and",)
    if not comma and _VERBS.isdisjoint(words[start:at]):
        return False
    for i in range(at + 2 if comma else at + 1, len(words) - 1):
        if breaks[i] or words[i] in ("no", "not", "nor", "which", "that"):
            return False
        if words[i] in _VERBS:
            return words[i + 1] in _STATED
    return False


def _list_goes_on(words: Sequence[str], comma: int, breaks: list[bool]) -> bool:
    """Return whether a comma is inside a list of alternatives: an `or` follows before the clause ends."""
    for i in range(comma + 1, len(words)):
        if breaks[i] or words[i] in _COPULA:
            return False
        if words[i] in ("or", "versus", "vs"):
            return True
    return False


def _before_aside(words: Sequence[str], end: int) -> int:
    """Return where the words before a cue end, without an aside between commas.

    Example: `the nodule, which was seen before, was not detected`.
    """
    at = end
    while at > 0 and words[at - 1] in _COPULA:
        at -= 1
    if at < 1 or words[at - 1] != "," or "which" not in words[:at]:
        return end
    which = at - 1 - words[:at][::-1].index("which")
    return which - 1 if which > 1 and words[which - 1] == "," else end


def _backward(
    words: Sequence[str],
    end: int,
    cue_at: list[set[str]],
    breaks: list[bool],
    labels: set[int],
    stop: frozenset[str] | None = None,
) -> range:
    """Return the tokens to the left of a cue that are in its scope: the subject of its clause, including lists.

    With `stop`, the scope is only the phrase directly before the cue, as for `versus`.
    """
    start = _before_aside(words, end)
    copulas = 0
    last_join = start
    while start > 0:
        word = words[start - 1]
        if breaks[start - 1] or "affirm" in cue_at[start - 1] or start in labels:
            break
        if stop is not None and (word in stop or word == ","):
            break
        if "negate_after" in cue_at[start - 1] or "doubt_after" in cue_at[start - 1]:
            break
        if word in _COPULA:
            copulas += 1
            if copulas > 1 or start < end - 2:
                return range(last_join, end)
        if word in _JOINS:
            last_join = start
        if word in _CAUSES and words[start] in ("of", "for"):  # `the cause of the ascites is not identified`
            return range(end, end)
        start -= 1
    return range(start, end)
