"""Turn a structured report into text, in one of many phrasings, with the exact spans of its entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from radeval_core.data.radcheck.structures import GoldFinding, Normal, Observation, Report, load_grammar

Piece = tuple[str, str | None]  # text, and entity type or None


@dataclass(frozen=True)
class GoldEntity:
    """A typed span: `text` is the characters from `start` to `end`."""

    start: int
    end: int
    label: str
    text: str


@dataclass(frozen=True)
class Written:
    """A text and its entities, in order."""

    text: str
    entities: tuple[GoldEntity, ...] = ()


def write_report(report: Report, rng: Random) -> Written:
    """Write a whole report: an optional title and header, then its sentences in random order."""
    grammar = load_grammar()
    title = rng.choice(grammar.titles).format(
        modality=rng.choice(grammar.modalities[report.modality]), region=grammar.anatomies[report.anatomy].region
    )
    text = f"{title} " * bool(title) + rng.choice(grammar.headers)
    entities: list[GoldEntity] = []
    for sentence in write_sentences(report, rng):
        shift = len(text)
        entities += [GoldEntity(e.start + shift, e.end + shift, e.label, e.text) for e in sentence.entities]
        text += sentence.text + " "
    return Written(text.rstrip(), tuple(entities))


def write_sentences(report: Report, rng: Random) -> list[Written]:
    """Write every statement as a sentence, in random order. One sentence may deny two findings."""
    sentences = [write_present(o, rng) for o in report.present] + [write_normal(n, rng) for n in report.normal]
    denied = rng.sample(report.absent, len(report.absent))
    while denied:
        count = rng.choice((1, 2))
        sentences.append(write_absent(denied[:count], rng))
        denied = denied[count:]
    rng.shuffle(sentences)
    return sentences


def write_present(seen: Observation, rng: Random) -> Written:
    """Write a sentence that affirms a finding."""
    grammar, finding = load_grammar(), seen.finding
    marked = rng.choice(finding.names)
    name = marked.lstrip("~+")
    entity: Piece = (name, "Disease" if finding.disease else "Abnormality")
    degree, after = "", ""
    if seen.level is not None and finding.scale:
        degree = rng.choice(grammar.levels[finding.scale][seen.level]) + " "
    if seen.mm is not None:
        length = f"{seen.mm / 10:.1f} cm" if seen.mm >= 10 and rng.random() < 0.5 else f"{seen.mm} mm"
        degree, after = (f"{length} ", "") if rng.random() < 0.5 else ("", f" measuring {length}")
    # "a left effusion", but "a cyst of the wrist on the left"
    leading = seen.side is not None and not re.search(r" (of|in|around) ", name)
    before = f"{degree}{seen.side} " if leading else degree
    tail = after if leading else f"{after} on the {seen.side}"
    slots: dict[str, list[Piece]] = {
        "bare": [(degree, None), entity, (after, None)],
        "np": [(_article(marked, degree + name) + degree, None), entity, (after, None)],
        "lateral": [(_article(marked, before + name) + before, None), entity, (tail, None)],
        "is": [("are" if marked[0] == "+" else "is", None)],
        "prep": [(finding.prep, None)],
        "at": [("in" if finding.prep == "of" else finding.prep, None)],  # "seen in", never "seen of"
        "side": [(seen.side or "", None)],
        "change": [(rng.choice(grammar.changes[seen.change]) if seen.change else "", None)],
    }
    kind = "plain" if seen.side is None else "sided"
    if seen.site is not None:
        site = rng.choice(finding.sites[seen.site]).replace("{side}", seen.side or "")
        slots["site"], kind = [(site, "Anatomy")], "sited"
    return _fill(rng.choice(grammar.phrasings[kind]), slots)


def write_absent(findings: Sequence[GoldFinding], rng: Random) -> Written:
    """Write a sentence that denies one or two findings."""
    pieces: list[Piece] = []
    names = [rng.choice(finding.names) for finding in findings]
    for finding, marked in zip(findings, names, strict=True):
        pieces += [(" or ", None)] * bool(pieces)
        pieces.append((marked.lstrip("~+"), "Non-Disease" if finding.disease else "Non-Abnormality"))
    # the verb agrees with the noun next to it: "there is no A or Bs", "no A or Bs are seen"
    first, last = ("are" if name[0] == "+" else "is" for name in (names[0], names[-1]))
    slots: dict[str, list[Piece]] = {"name": pieces, "is": [(first, None)], "last_is": [(last, None)]}
    return _fill(rng.choice(load_grammar().phrasings["absent"]), slots)


def write_normal(normal: Normal, rng: Random) -> Written:
    """Write a sentence that says a part is normal."""
    slots: dict[str, list[Piece]] = {
        "part": [(normal.part, "Anatomy")],
        "says": [(rng.choice(normal.says), "Non-Abnormality")],
        "be": [("are" if normal.plural else "is", None)],
        "appear": [("appear" if normal.plural else "appears", None)],
    }
    return _fill(rng.choice(load_grammar().phrasings["normal"]), slots)


def _article(marked: str, phrase: str) -> str:
    if marked[0] in "~+":
        return ""
    # as read aloud: an 8 mm, an 11 mm, an 18 mm, an ACL tear, an undisplaced fracture; but a uterine fibroid
    vowel = re.match(r"(?!ut|ur|uni|1\.)[aeiouAEIOU]|8|11 |18 |11\.|18\.", phrase)
    return "an " if vowel else "a "


def _fill(template: str, slots: dict[str, list[Piece]]) -> Written:
    """Fill a template with pieces and record the spans of the entities."""
    text, entities = "", []
    for part in re.split(r"(\{\w+\})", template):
        for piece, label in slots[part[1:-1]] if part.startswith("{") else [(part, None)]:
            piece = piece if text else piece[:1].upper() + piece[1:]
            if label:
                entities.append(GoldEntity(len(text), len(text) + len(piece), label, piece))
            text += piece
    return Written(text, tuple(entities))
