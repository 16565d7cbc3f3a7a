"""One error of a known kind put into a report, or one change that keeps its meaning: to see which metrics notice.

Every candidate is parsed again, and only one that reads as intended is returned.
"""

from __future__ import annotations

import difflib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from radeval_core.errors import unknown_name
from radeval_core.findings.lexicon import Roles
from radeval_core.findings.parser import default_parser, parse
from radeval_core.findings.structures import Finding, ParsedReport, Sentence
from radeval_core.findings.text import normalise_form

KINDS = ("negation", "finding", "side", "region", "severity", "omission", "insertion", "paraphrase", "order")
MEANING_KEPT = frozenset({"paraphrase", "order"})

#: candidates tried before giving up; each costs one parse
_TRIES = 400
_OTHER_SIDE = {
    "left": "right",
    "right": "left",
    "leftward": "rightward",
    "rightward": "leftward",
    "lt": "rt",
    "rt": "lt",
}
_PAIRED_WORDS = {"bibasilar": "basilar", "bibasal": "basal", "biapical": "apical"}
_OPPOSITE = {
    "mild": "severe", "mildly": "severely", "small": "large", "tiny": "large", "trace": "large", "minimal": "severe",
    "minimally": "severely", "slight": "marked", "slightly": "markedly", "minor": "severe", "subtle": "marked",
    "small sized": "large", "small amount of": "large amount of", "trace amount of": "large amount of",
    "severe": "mild", "severely": "mildly", "large": "small", "massive": "small", "extensive": "minimal",
    "marked": "mild", "markedly": "mildly", "advanced": "mild", "large sized": "small", "huge": "tiny",
    "large amount of": "small amount of", "moderate": "severe", "moderately": "severely", "moderate sized": "large",
    "mild to moderate": "severe", "moderate to severe": "mild", "moderate to large": "small",
    "small to moderate": "large",
}  # fmt: skip
#: findings that are small or large rather than mild or severe
_SIZED = re.compile(r"effusion|thorax$|mass$|nodule|cyst|lesion|hernia|hematoma|collection|abscess|aneurysm|granuloma")
#: lobes that only one lung has
_ONE_SIDE = {"middle_lobe": "right", "lingula": "left"}
#: words a noun phrase does not go back across
_STOPS = frozenset({
    "a", "an", "the", "some", "no", "not", "without", "with", "and", "or", "nor", "of", "in", "at", "on", "by", "to",
    "from", "for", "is", "are", "was", "were", "be", "been", "has", "have", "there", "this", "which", "that", "may",
    "but", "as", "than", "versus", "vs", "show", "shows", "showing", "represent", "represents", "also", "seen", "noted",
})  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_VERB = re.compile(r"\b(is|are|was|were|appears?|remains?)\s+", re.IGNORECASE)
_LIST_BREAK = re.compile(r"\s*,\s*(?:or|and|nor)\s+|\s*,\s*|\s+(?:or|and|nor)\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"\s+(?:(?:\(?\d{1,2}[.)]|[-*•])\s+)?")
_ADJECTIVE = ("ed", "ous", "ic", "al", "ar", "ive")
#: word endings of what is counted, and so has a plural
_COUNTED = ("ion", "ule", "ure", "ate", "oma", "yst", "mass", "ity", "rnia", "tube", "eter", "line", "clip", "wire")


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A changed report.

    Attributes:
        text: the whole report after the change.
        kind: one of `KINDS`.
        finding: canonical name of the finding that was changed, dropped or added; empty for `order`.
        before: the words that were replaced; empty where words were only added.
        after: the words in their place; empty where words were only dropped.
    """

    text: str
    kind: str
    finding: str
    before: str
    after: str


class _Key(NamedTuple):
    """What a finding says, without where it is written."""

    finding: str
    polarity: str
    anatomy: tuple[str, ...]
    laterality: str | None
    severity: str | None
    change: str | None
    measurements: tuple[float, ...]


#: how many fields of a key tell a finding, its place and its degree
_PLAIN = 5


class _Edit(NamedTuple):
    """New words for `text[start:end]`."""

    start: int
    end: int
    words: str


class _Phrase(NamedTuple):
    """A form of the lexicon at `text[start:end]`."""

    start: int
    end: int
    roles: Roles


#: whether what was said before and what is said after differ as intended
_Check = Callable[[Counter[_Key], Counter[_Key]], bool]


class _Candidate(NamedTuple):
    edits: tuple[_Edit, ...]
    finding: str
    fits: _Check


def perturb(text: str, kind: str, seed: int = 0) -> Perturbed | None:
    """Change one thing in a report, the same thing for the same seed.

    Args:
        text: the report.
        kind: `negation` turns present into absent or back; `finding` puts another finding of the same kind and place
            there; `side` changes or adds left and right; `region` moves it within the larger region; `severity`
            changes or adds a degree; `omission` drops a sentence; `insertion` adds a false one; `paraphrase` uses a
            synonym; `order` shuffles the sentences. The last two keep the meaning.
        seed: which of the possible changes.

    Returns:
        The changed report, or None where it has nothing that can be changed in that way.

    Raises:
        InputError: there is no such kind.
    """
    if kind not in KINDS:
        raise unknown_name("kind of perturbation", kind, KINDS)
    report = parse(text)
    before = _said(report)
    for tried, candidate in enumerate(_MAKERS[kind](report, random.Random(seed))):
        if tried == _TRIES:
            break
        changed = _apply(text, candidate.edits)
        if changed == text or not changed.strip():
            continue
        after = _said(parse(changed))
        # Words said twice are not lost by dropping one of them, whatever size or change is told beside.
        kept = {key[:_PLAIN] for key in before} == {key[:_PLAIN] for key in after}
        if kept == (kind in MEANING_KEPT) and candidate.fits(before, after):
            edits = sorted(candidate.edits)
            start, end = edits[0].start, edits[-1].end
            shift = len(changed) - len(text)
            return Perturbed(changed, kind, candidate.finding, text[start:end], changed[start : end + shift])
    return None


def _said(report: ParsedReport) -> Counter[_Key]:
    return Counter(map(_key, report.stated))


def _key(f: Finding) -> _Key:
    anatomy = tuple(sorted(f.anatomy))
    return _Key(f.finding, f.polarity, anatomy, f.laterality, f.severity, f.change, f.measurements)


# --- what counts as intended


def _only(fields: Sequence[str], old: Finding, goal: dict[str, object], within: Counter[_Key] | None = None) -> _Check:
    """The finding now has the values of the goal; nothing else changed but these fields.

    With `within`, other findings of the same sentence may change in the same fields: a list shares negation and side.
    """

    def masked(keys: Counter[_Key]) -> Counter[tuple[object, ...]]:
        kept = [i for i, name in enumerate(_Key._fields) if name not in fields]
        return Counter(tuple(key[i] for i in kept) for key in keys.elements())

    def fits(before: Counter[_Key], after: Counter[_Key]) -> bool:
        gone, come = before - after, after - before
        if within is None and (gone.total(), come.total()) != (1, 1):
            return False
        if within is not None and gone - within:
            return False
        if masked(gone) != masked(come):
            return False
        if _key(old) not in gone:
            return False
        return all(all(getattr(k, name) == value for name, value in goal.items()) for k in come)

    return fits


def _exactly(gone: Counter[_Key]) -> _Check:
    """These are gone, and nothing else changed."""
    return lambda before, after: before - after == gone and not after - before


def _only_new(name: str) -> _Check:
    """One finding of that name is stated to be present, and nothing else changed."""

    def fits(before: Counter[_Key], after: Counter[_Key]) -> bool:
        come = list((after - before).elements())
        return not before - after and [(k.finding, k.polarity) for k in come] == [(name, "present")]

    return fits


def _same(before: Counter[_Key], after: Counter[_Key]) -> bool:
    return before == after


# --- the kinds


def _negation(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    targets = [f for f in _targets(report, rng) if f.polarity != "uncertain"]
    for within, target in _alone_then_shared(report, targets):
        flipped = "absent" if target.polarity == "present" else "present"
        fits = _only(["polarity"], target, {"polarity": flipped}, within)
        rewrite = _denials if target.polarity == "present" else _affirmations
        for edits in rewrite(report, target):
            yield _Candidate(tuple(edits), target.finding, fits)


def _denials(report: ParsedReport, target: Finding) -> Iterator[list[_Edit]]:
    """Ways to deny a finding, the most specific first."""
    text, opening = report.text, target.sentence_start
    if verb := _VERB.search(text, target.start, target.end):
        yield [_insert(text, verb.end(), "not ")]
    head = _phrase_start(report, target)
    before = text[opening:head]
    if match := re.search(r"\b(?:consistent|compatible|in keeping) with\s+(?:an?\s+|the\s+)?$", before, re.I):
        yield [_insert(text, opening + match.start(), "not ")]
    elif match := re.search(r"\bwith\s+(?:(?:an?|the|some)\s+)?$", before, re.I):
        yield [_replace(text, opening + match.start(), head, "without ")]
    if re.search(r"(?<!\bthere )\b(?:is|are|was|were|appears?|remains?)\s+$", before, re.I):
        yield [_insert(text, head, "not ")]
    if match := re.search(r"\b(?:an?|the|some)\s+$", before, re.I):
        yield [_replace(text, opening + match.start(), head, "no ")]
    else:
        yield [_insert(text, head, "no ")]
    article = re.match(r"(?:an?|the|some)\s+", before, re.I)
    yield [_replace(text, opening, opening + article.end(), "no ") if article else _insert(text, opening, "no ")]


def _affirmations(report: ParsedReport, target: Finding) -> Iterator[list[_Edit]]:
    """Ways to say that a denied finding is there: without the cue, or taken out of the list of what is denied."""
    text, start, end = report.text, target.sentence_start, target.sentence_end
    for cue in _phrases(report, target):
        if cue.end <= target.start and "negate" in cue.roles.cues:
            following = _next_word(text, cue.end)
            if text[cue.start : cue.end].lower() == "without":
                yield [_replace(text, cue.start, cue.end, "with")]
            yield [_replace(text, cue.start, following, "")]
            if cue.start == start and end - target.end <= 1:
                yield [_replace(text, cue.start, following, "There is ")]
            yield from _taken_out(text, target, following)
        if cue.start >= target.end and "negate_after" in cue.roles.cues:
            yield [_replace(text, cue.start, cue.end, re.sub(r"\bnot\s+", "", text[cue.start : cue.end], flags=re.I))]


def _taken_out(text: str, target: Finding, first: int) -> Iterator[list[_Edit]]:
    """`No consolidation, effusion or pneumothorax.` becomes `No consolidation or pneumothorax. There is effusion.`."""
    end = target.sentence_end
    close = end - 1 if text[end - 1] in ".!?" else end
    breaks = [m.span() for m in _LIST_BREAK.finditer(text, first, close)]
    before = [b for b in breaks if b[1] <= target.start]
    after = [b for b in breaks if b[0] >= target.end]
    if not breaks:
        return
    start, stop = (before[-1][1] if before else first), (after[0][0] if after else close)
    item = text[start:stop]
    plural = "are" if _is_plural(item) else "is"
    ending = "" if close < end else "."
    added = _Edit(end, end, _cased(text, end, f"{ending} There {plural} {item}.", keep=True))
    if not before:
        yield [_replace(text, start, after[0][1], ""), added]
    else:
        edits = [_Edit(before[-1][0], stop, ""), added]
        if not after and len(before) > 1:
            edits.insert(0, _Edit(*before[-2], _cased(text, before[-2][0], " or ", keep=True)))
        yield edits


def _finding(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    lexicon = default_parser().lexicon
    said = {f.finding for f in report.findings}
    for target in _targets(report, rng, kinds=("abnormality", "disease", "device")):
        if not _is_noun(report, target):
            continue
        entry, family = lexicon.entries[target.finding], _family(target.finding)
        others = [
            e.name
            for e in lexicon.entries.values()
            if e.kind == entry.kind
            and family & _family(e.name)
            and e.name not in said
            and not _related(e.name, entry.name)
        ]
        for other in rng.sample(others, min(12, len(others))):
            words = _name_words(other)
            if words and not words.endswith(_ADJECTIVE):
                words = _numbered(words, target.text)
                # Where no place is said, the place the finding implies changes with it.
                fits = _only(["finding", "anatomy"], target, {"finding": other})
                yield _Candidate((_replace(report.text, target.start, target.end, words),), other, fits)


def _side(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    lexicon = default_parser().lexicon
    targets = [f for f in _targets(report, rng) if f.polarity != "absent" and not set(f.anatomy) & set(_ONE_SIDE)]
    for within, target in _alone_then_shared(report, targets):
        wanted = {"left": ["right"], "right": ["left"]}.get(target.laterality or "", rng.sample(["left", "right"], 2))
        for side in wanted if target.laterality else ():
            fits = _only(["laterality"], target, {"laterality": side}, within)
            for edit in _sided_edits(report, target, side):
                yield _Candidate((edit,), target.finding, fits)
    for target in targets:
        paired = target.kind != "disease" and any(lexicon.regions[r].sided for r in target.anatomy)
        if target.laterality is None and paired and _is_noun(report, target):
            side = rng.choice(["left", "right"])
            fits = _only(["laterality"], target, {"laterality": side})
            yield _Candidate((_insert(report.text, target.start, f"{side} "),), target.finding, fits)


def _sided_edits(report: ParsedReport, target: Finding, side: str) -> Iterator[_Edit]:
    """Each place in the sentence where a side is said, with the other side."""
    text, lexicon = report.text, default_parser().lexicon
    for phrase in _phrases(report, target):
        written = text[phrase.start : phrase.end].lower()
        if phrase.roles.side == "bilateral":
            yield _replace(text, phrase.start, phrase.end, f"{side} {_PAIRED_WORDS.get(written, '')}".strip())
        elif phrase.roles.side or phrase.roles.form_side:
            turned = _WORD.sub(lambda m: _turned(m.group()), written)
            if turned == written and written[0] in "lr" and phrase.roles.region:
                turned = {"l": "r", "r": "l"}[written[0]] + written[1:]  # RLL, LUL
                known = lexicon.surface(normalise_form(turned))
                if known is None or known.region != phrase.roles.region:
                    continue
                turned = turned.upper() if text[phrase.start].isupper() else turned
            if turned != written:
                yield _replace(text, phrase.start, phrase.end, turned)


def _turned(word: str) -> str:
    return "-".join(_OTHER_SIDE.get(part, part) for part in word.split("-"))


def _region(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    lexicon, text = default_parser().lexicon, report.text
    targets = [f for f in _targets(report, rng) if f.polarity != "absent"]
    for within, target in _alone_then_shared(report, targets):
        for phrase in _phrases(report, target):
            place = lexicon.regions.get(phrase.roles.region)
            inside = phrase.start < target.end and target.start < phrase.end
            if place is None or inside or place.name not in target.anatomy or not place.parent:
                continue
            others = [
                r.name
                for r in lexicon.regions.values()
                if r.parent == place.parent
                and r.sided == place.sided
                and r.name not in target.anatomy
                and (not r.imagenome or r.imagenome != place.imagenome)
                and _ONE_SIDE.get(r.name, target.laterality) == target.laterality
            ]
            others = rng.sample(others, len(others))
            # `lower lobe` rather goes to `upper lobe` than to `bronchus`
            words = place.name.split("_")
            others.sort(key=lambda name: (name.split("_")[-1] != words[-1], name.split("_")[0] != words[0]))
            for other in others:
                anatomy = tuple(sorted({*target.anatomy, other} - {place.name}))
                fits = _only(["anatomy"], target, {} if within else {"anatomy": anatomy}, within)
                for place_words in _place_words(other, text[phrase.start : phrase.end]):
                    edit = _replace(text, phrase.start, phrase.end, f"{phrase.roles.form_side} {place_words}".strip())
                    yield _Candidate((edit,), target.finding, fits)


def _severity(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    text = report.text
    targets = [f for f in _targets(report, rng, kinds=("abnormality", "disease")) if f.polarity != "absent"]
    for target in targets:
        for grade in [g for g in ("severe", "mild") if g != target.severity]:
            fits = _only(["severity"], target, {"severity": grade})
            for phrase in _phrases(report, target):
                if phrase.roles.severity:
                    written = text[phrase.start : phrase.end].lower().replace("-", " ")
                    adverb = written.endswith("ly") and written != "early"
                    opposite = _OPPOSITE.get(written, grade + "ly" if adverb else grade)
                    yield _Candidate((_replace(text, phrase.start, phrase.end, opposite),), target.finding, fits)
    for target in targets:
        if target.severity is None:
            grade = rng.choice(["mild", "severe"])
            fits = _only(["severity"], target, {"severity": grade})
            yield _Candidate((_graded(report, target, grade),), target.finding, fits)


def _graded(report: ParsedReport, target: Finding, grade: str) -> _Edit:
    """A degree where none is said: before the describing word, or before side and place."""
    text = report.text
    verbs = list(_VERB.finditer(text, target.start, target.end))
    if verbs:
        return _insert(text, verbs[-1].end(), f"{grade}ly ")
    first = target.text.split()[0].lower()
    if not _is_noun(report, target) or first in ("low", "high") or first.endswith(_ADJECTIVE[:2]):
        return _insert(text, target.start, f"{grade}ly ")
    sized = {"mild": "small", "severe": "large"}[grade] if _SIZED.search(target.finding) else grade
    return _insert(text, _phrase_start(report, target), f"{sized} ")


def _omission(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    text = report.text
    if len(report.sentences) < 2:
        return
    for target in _targets(report, rng, kinds=("abnormality", "disease", "device", "procedure", "normality")):
        start, end = target.sentence_start, target.sentence_end
        dropped = _sentence_keys(report, target)
        following = _next_word(text, end)
        edit = (
            _Edit(start, following, "")
            if following < len(text) and "\n" not in text[end:following]
            else _Edit(start, end, "")
        )
        yield _Candidate((edit,), target.finding, _exactly(gone=dropped))


def _insertion(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    lexicon = default_parser().lexicon
    said = {f.finding for f in report.findings}
    family = {region for f in report.stated if f.finding in lexicon.entries for region in _family(f.finding)}
    family |= {region for f in report.stated for place in f.anatomy for region in (place, *lexicon.ancestors(place))}
    names = [
        e.name
        for e in lexicon.entries.values()
        if e.kind in ("abnormality", "disease")
        and family & _family(e.name)
        and e.name not in said
        and not any(_related(e.name, other) for other in said)
    ]
    for name in rng.sample(names, len(names)):
        words = _name_words(name)
        if not words or words.endswith(_ADJECTIVE):
            continue
        added = f"{words} {'are' if _is_plural(words) else 'is'} noted."
        for place in rng.sample(report.sentences, min(3, len(report.sentences))):
            stop = "" if place.text[-1] in ".!?" else "."
            words = added.upper() if _shouts(report.text) else added[0].upper() + added[1:]
            edit = _Edit(place.end, place.end, f"{stop} {words}")
            yield _Candidate((edit,), name, _only_new(name))


def _paraphrase(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    for target in _targets(report, rng, kinds=("abnormality", "disease", "device", "procedure")):
        if _VERB.search(target.text):
            continue
        adjective = target.text.lower().endswith(_ADJECTIVE)
        forms = [f for f in _forms_of(target.finding) if f.endswith(_ADJECTIVE) == adjective]
        for form in rng.sample(forms, len(forms)):
            if _is_synonym(normalise_form(form), normalise_form(target.text), target):
                words = _numbered(form, target.text)
                yield _Candidate((_replace(report.text, target.start, target.end, words),), target.finding, _same)


def _is_synonym(form: Sequence[str], written: Sequence[str], target: Finding) -> bool:
    """Whether a form says the same in other words: it names no new place, and does not say more or less."""
    surface = default_parser().lexicon.surface
    places = [roles.region for word in form if (roles := surface((word,))) and roles.region and word not in written]
    if any(place not in target.anatomy for place in places):
        return False
    if difflib.SequenceMatcher(None, " ".join(form), " ".join(written)).ratio() > 0.82:
        return False  # another spelling, or a slip the lexicon knows
    narrower = set(form) <= set(written) or set(form) >= set(written)
    return not narrower or len(places) == len(set(form) - set(written)) > 0


def _order(report: ParsedReport, rng: random.Random) -> Iterator[_Candidate]:
    groups = [g for g in _runs(report) if len({s.text for s in g}) > 1]
    for _ in range(20 if groups else 0):
        edits: list[_Edit] = []
        for group in groups:
            moved = rng.sample(group, len(group))
            edits += [_Edit(a.start, a.end, b.text) for a, b in zip(group, moved, strict=True) if a.text != b.text]
        if edits:
            yield _Candidate(tuple(edits), "", _same)


def _runs(report: ParsedReport) -> list[list[Sentence]]:
    """Sentences that follow each other in one section, with nothing but white space and list numbers between."""
    runs: list[list[Sentence]] = []
    for s in report.sentences:
        if runs and runs[-1][-1].section == s.section and _BETWEEN.fullmatch(report.text[runs[-1][-1].end : s.start]):
            runs[-1].append(s)
        else:
            runs.append([s])
    return runs


_MAKERS: dict[str, Callable[[ParsedReport, random.Random], Iterator[_Candidate]]] = {
    "negation": _negation,
    "finding": _finding,
    "side": _side,
    "region": _region,
    "severity": _severity,
    "omission": _omission,
    "insertion": _insertion,
    "paraphrase": _paraphrase,
    "order": _order,
}


# --- what can be changed


def _targets(
    report: ParsedReport, rng: random.Random, kinds: Sequence[str] = ("abnormality", "disease", "device")
) -> list[Finding]:
    """Stated findings in random order; those stated only once come first, so that nothing else still says it."""
    found = [f for f in report.stated if f.kind in kinds]
    found = rng.sample(found, len(found))
    times = Counter(f.finding for f in report.stated)
    return sorted(found, key=lambda f: times[f.finding] > 1)


def _alone_then_shared(
    report: ParsedReport, targets: Sequence[Finding]
) -> Iterator[tuple[Counter[_Key] | None, Finding]]:
    """Every target, to be changed alone; then again, where the rest of its sentence may change with it."""
    yield from ((None, target) for target in targets)
    yield from ((_sentence_keys(report, target), target) for target in targets)


def _sentence_keys(report: ParsedReport, target: Finding) -> Counter[_Key]:
    return Counter(_key(f) for f in report.stated if f.sentence_start == target.sentence_start)


def _phrases(report: ParsedReport, target: Finding) -> list[_Phrase]:
    """Forms of the lexicon in the sentence of a finding, longest first, those nearest to the finding first."""
    surface, text = default_parser().lexicon.surface, report.text
    words = [m.span() for m in _WORD.finditer(text, target.sentence_start, target.sentence_end)]
    found: list[_Phrase] = []
    at = 0
    while at < len(words):
        for stop in range(min(len(words), at + 5), at, -1):
            start, end = words[at][0], words[stop - 1][1]
            roles = surface(normalise_form(text[start:end]))
            # The words of the finding itself are looked at one by one: `left` in `left ventricular enlargement`.
            if roles is not None and not (roles.finding and stop - at > 1):
                found.append(_Phrase(start, end, roles))
                at = stop
                break
        else:
            at += 1
    return sorted(found, key=lambda p: (max(target.start - p.end, p.start - target.end, 0), p.start))


def _phrase_start(report: ParsedReport, target: Finding) -> int:
    """Where the words that modify a finding begin: `small left` in `a small left pleural effusion`."""
    text, opening, start = report.text, target.sentence_start, target.start
    barred = [p.end for p in _phrases(report, target) if p.roles.finding or p.roles.cues]
    while word := re.search(r"([^\W_]+(?:-[^\W_]+)*|\d+(?:\.\d+)?)\s+$", text[opening:start]):
        if word.group(1).lower() in _STOPS or opening + word.end(1) in barred:
            break
        start = opening + word.start()
    return start


def _is_noun(report: ParsedReport, target: Finding) -> bool:
    """Whether a mention can be replaced by another noun: `effusion`, not `enlarged`, nor `calcified` before a noun."""
    if _VERB.search(target.text) or target.text.lower().endswith(_ADJECTIVE):
        return False
    rest = report.text[target.end : target.sentence_end].lstrip(" ")
    word = _WORD.match(rest)
    if word is None:
        return True
    roles = default_parser().lexicon.surface(normalise_form(word.group()))
    return roles is None or not (roles.finding or roles.region)


def _family(name: str) -> set[str]:
    """The places of a finding and what contains them, up to but not including the whole body part."""
    lexicon = default_parser().lexicon
    return {
        region
        for place in lexicon.entries[name].regions
        for region in (place, *lexicon.ancestors(place))
        if lexicon.regions[region].parent or region == place
    }


def _related(one: str, other: str) -> bool:
    lexicon = default_parser().lexicon
    return one == other or one in lexicon.more_general(other) or other in lexicon.more_general(one)


# --- words


@lru_cache(maxsize=1)
def _forms() -> dict[str, list[str]]:
    """Readable forms of findings, and of regions under `region:` and name, without those that contain a side."""
    found: dict[str, list[str]] = {}
    for tokens, finding, region, form_side, *_ in default_parser().lexicon.to_json()["forms"]:
        name = finding or (f"region:{region}" if region else "")
        if name and not form_side and all(map(str.isalpha, tokens)) and sum(map(len, tokens)) >= 5:
            found.setdefault(name, []).append(" ".join(tokens))
    return {name: sorted(forms) for name, forms in found.items()}


def _forms_of(name: str) -> list[str]:
    return _forms().get(name, [])


@lru_cache(maxsize=4096)
def _name_words(name: str) -> str:
    """A finding's name as words, if the lexicon reads them as that finding; else its shortest form; else nothing."""
    words = name.replace("_", " ")
    roles = default_parser().lexicon.surface(normalise_form(words))
    if roles is not None and roles.finding == name and not roles.form_side:
        return words
    return min(_forms_of(name), key=lambda form: (len(form.split()), form), default="")


def _place_words(name: str, written: str) -> list[str]:
    """A region's words, as an adjective where an adjective was written, the plainest first."""
    adjective = written.lower().endswith(_ADJECTIVE)
    forms = [f for f in _forms_of(f"region:{name}") if f.endswith(_ADJECTIVE) == adjective]
    forms.sort(key=lambda form: (form != name.replace("_", " "), len(form), form))
    return [_numbered(form, written, ("lobe", "lung", "base", "zone", "vein", "artery", "rib")) for form in forms[:2]]


def _is_plural(words: str) -> bool:
    return words.endswith("s") and not words.endswith(("ss", "is", "us"))


def _numbered(words: str, like: str, counted: tuple[str, ...] = _COUNTED) -> str:
    """Words in the plural, where the words they replace are and these have one."""
    if not _is_plural(like.lower()) or not words.endswith(counted):
        return words
    if words.endswith("ity"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith("mass") else "s")


def _shouts(text: str) -> bool:
    return text.isupper()


def _next_word(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _insert(text: str, position: int, words: str) -> _Edit:
    """New words before a place; the first letter of a sentence stays a capital, what follows it becomes small."""
    first = _WORD.match(text, position)
    end = first.end() if first else position
    return _replace(text, position, end, words + _uncapitalised(text[position:end]))


def _uncapitalised(word: str) -> str:
    return word[:1].lower() + word[1:] if word[1:].islower() or len(word) == 1 else word


def _replace(text: str, start: int, end: int, words: str) -> _Edit:
    """New words for a stretch, in its letter case, with `a` or `an` before them as they ask.

    Where nothing is left, the next word takes over the first letter.
    """
    if not words and (following := _WORD.match(text, end)):
        words, end = following.group(), following.end()
    words = _cased(text, start, words)
    article = re.search(r"\b(an?)(\s+)$", text[:start], re.I)
    if article and words[:1].isalpha() and (article.group(1).lower() == "an") != (words[0].lower() in "aeiou"):
        right = "an" if words[0].lower() in "aeiou" else "a"
        return _Edit(article.start(), end, _cased(text, article.start(), right) + article.group(2) + words)
    return _Edit(start, end, words)


def _cased(text: str, start: int, words: str, keep: bool = False) -> str:
    if _shouts(text):
        return words.upper()
    first = re.match(r"\w*", text[start:]).group()  # type: ignore[union-attr]
    # `RLL` within a sentence begins with a capital, but what takes its place does not.
    within = text[:start].rstrip()[-1:] not in ("", ".", ":", "!", "?", ")")
    opens = first[:1].isupper() and not (within and len(first) > 1 and first.isupper())
    return words[:1].upper() + words[1:] if opens and not keep else words


def _apply(text: str, edits: Iterable[_Edit]) -> str:
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return text
