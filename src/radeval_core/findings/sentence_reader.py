"""Read one sentence: lexicon forms, their context and modifiers, and what normal statements exclude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from radeval_core.findings.context import Context, read_context
from radeval_core.findings.coverage import NO_CONTENT, count_words
from radeval_core.findings.fine_places import fine_places
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.match import FormMatch, find_forms
from radeval_core.findings.mentions import called_normal, find_mentions
from radeval_core.findings.modifiers import attach
from radeval_core.findings.normality import normal_statements
from radeval_core.findings.open_phrases import read_open
from radeval_core.findings.scene import Mention, Scene
from radeval_core.findings.special import name_by_adjective, name_by_place
from radeval_core.findings.text import Tokens, WordForms, tokenize
from radeval_core.findings.topics import prefer_usual_places
from radeval_core.findings.types import Finding, SentenceReading

#: first words of a question
_ASKS = frozenset(
    {"is", "are", "was", "does", "do", "did", "can", "could", "has", "have", "what", "where", "any", "which"}
)


def read_sentence(sentence: str, lexicon: Lexicon) -> SentenceReading:
    """Return the findings of one sentence, with offsets relative to it, and how much of it was understood."""
    tokens = tokenize(sentence, _word_forms(lexicon))
    matches = find_forms(tokens.words, lexicon)
    findings, unlisted, explained = _read(sentence, tokens, matches, lexicon)
    stated = bool(findings or unlisted)
    return SentenceReading(findings, *count_words(tokens.words, matches, stated, explained), unlisted)


def _read(
    sentence: str, tokens: Tokens, matches: Sequence[FormMatch], lexicon: Lexicon
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], int]:
    """Return the findings of the lexicon, the open ones, and the number of words that only the open ones explain."""
    context = read_context(tokens.words, matches, lexicon)
    if tokens.words and tokens.words[-1] == "?":
        if tokens.words[0] in _ASKS:
            return (), (), 0
        for i in range(_open_parenthesis(tokens.words), len(tokens.words)):
            context.doubted[i] = True
    mentions = find_mentions(tokens.words, matches, context, lexicon)
    if mentions:
        name_by_adjective(tokens.words, matches, mentions, lexicon)
        scene = Scene(tokens.words, tokens.plural, matches, context, lexicon)
        attach(scene, mentions)
        mentions = name_by_place(matches, mentions, lexicon)
        prefer_usual_places(scene, mentions)
        for mention in mentions:
            if called_normal(tokens.words, matches, mention, lexicon):
                context.negated[mention.head] = True
    findings = [f for m in mentions for f in _findings(sentence, tokens, matches, m, context, lexicon)]
    findings += normal_statements(sentence, tokens, matches, mentions, context, lexicon)
    if len(findings) > 1:
        findings.sort(key=_position)
    return tuple(findings), *read_open(sentence, tokens, matches, mentions, context, findings, lexicon)


def _position(found: Finding) -> tuple[int, int]:
    return found.start, found.end


def _open_parenthesis(words: Sequence[str]) -> int:
    """Return where a parenthesis opens that is not closed, or 0: `nodule (metastasis?` asks about the metastasis."""
    for i in range(len(words) - 1, 0, -1):
        if words[i] in "()":
            return i if words[i] == "(" else 0
    return 0


@lru_cache(maxsize=4)
def _word_forms(lexicon: Lexicon) -> WordForms:
    """Return the reader of words for a lexicon, which corrects misspelt long words."""
    correct = lexicon.speller.correct
    return WordForms(lexicon.speller.known.union(w for w in NO_CONTENT if correct(w) == w), correct)


def _findings(
    sentence: str, tokens: Tokens, matches: Sequence[FormMatch], mention: Mention, context: Context, lexicon: Lexicon
) -> list[Finding]:
    """Return the findings of one mention: one, two for twins, plus the more general devices a device belongs to."""
    if context.skipped[mention.head]:
        return []
    entry = lexicon.entries[mention.finding]
    polarity = "present"
    if context.negated[mention.head]:
        polarity = "absent"
    elif context.doubted[mention.head]:
        polarity = "uncertain"
    start, end = tokens.starts[mention.start], tokens.ends[mention.end - 1]
    anatomy = _anatomy(mention, entry.regions, lexicon)
    stated = polarity != "absent"
    number = mention.number if stated else None
    places = fine_places(tokens.words, matches, mention) if stated and mention.anatomy else ()
    found = Finding(
        mention.finding, entry.kind, polarity, anatomy, mention.laterality, mention.severity, mention.measurements,
        mention.change, entry.significance, start, end, sentence[start:end], 0, len(sentence), False, False, number,
        False, places,
    )  # fmt: skip
    if mention.twin is not None:
        side, severity, regions = mention.twin
        return [found, replace(found, laterality=side, severity=severity, anatomy=tuple(regions) or anatomy)]
    if entry.kind == "device" and stated:  # a PICC is a catheter
        return [found, *(replace(found, finding=name, implied=True) for name in entry.parents)]
    return [found]


def _anatomy(mention: Mention, usual: tuple[str, ...], lexicon: Lexicon) -> tuple[str, ...]:
    """Return the places mentioned, without those that contain another one mentioned; the usual places if none is."""
    if not mention.anatomy:
        return usual
    said = list(dict.fromkeys(mention.anatomy))
    containing = {ancestor for name in said for ancestor in lexicon.ancestors(name)}
    return tuple(name for name in said if name not in containing) or usual
