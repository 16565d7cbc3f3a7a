"""Words to put into a report: forms of the lexicon for findings and places, and the tables of words.yaml."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from radeval_core.findings.parser import default_parser
from radeval_core.findings.text import normalise_form

VERB = re.compile(r"\b(is|are|was|were|appears?|remains?)\s+", re.IGNORECASE)


class Tables(NamedTuple):
    """The tables of words.yaml, where each is explained."""

    other_side: dict[str, str]
    paired: dict[str, str]
    one_side: dict[str, str]
    opposite: dict[str, str]
    stops: frozenset[str]
    adjective_endings: tuple[str, ...]
    adverb_takers: tuple[str, ...]
    counted: tuple[str, ...]
    counted_places: tuple[str, ...]


@cache
def tables() -> Tables:
    """The tables, read once."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    read: dict[str, Any] = yaml.load(Path(__file__).with_name("words.yaml").read_text("utf-8"), Loader=loader)
    lists = {name: tuple(value) for name, value in read.items() if isinstance(value, list)}
    return Tables(**{**read, **lists, "stops": frozenset(read["stops"])})


# --- words of the lexicon


@cache
def _forms() -> dict[str, list[str]]:
    """Readable forms of findings, and of regions under `region:` and name, without those that contain a side."""
    found: dict[str, list[str]] = {}
    for tokens, finding, region, form_side, *_ in default_parser().lexicon.to_json()["forms"]:
        name = finding or (f"region:{region}" if region else "")
        if name and not form_side and all(map(str.isalpha, tokens)) and sum(map(len, tokens)) >= 5:
            found.setdefault(name, []).append(" ".join(tokens))
    return {name: sorted(forms) for name, forms in found.items()}


def forms_of(name: str) -> list[str]:
    """The readable forms of a finding, or of a region written `region:name`."""
    return _forms().get(name, [])


@lru_cache(maxsize=4096)
def name_words(name: str) -> str:
    """A finding's name as words, if the lexicon reads them as that finding; else its shortest form; else nothing."""
    words = name.replace("_", " ")
    roles = default_parser().lexicon.surface(normalise_form(words))
    if roles is not None and roles.finding == name and not roles.form_side:
        return words
    return min(forms_of(name), key=lambda form: (len(form.split()), form), default="")


def place_words(name: str, written: str) -> list[str]:
    """A region's words, as an adjective where an adjective was written, the plainest first."""
    adjective = is_adjective(written.lower())
    forms = [f for f in forms_of(f"region:{name}") if is_adjective(f) == adjective]
    forms.sort(key=lambda form: (form != name.replace("_", " "), len(form), form))
    return [numbered(form, written, tables().counted_places) for form in forms[:2]]


def family(name: str) -> set[str]:
    """The places of a finding and what contains them, up to but not including the whole body part."""
    lexicon = default_parser().lexicon
    return {
        region
        for place in lexicon.entries[name].regions
        for region in (place, *lexicon.ancestors(place))
        if lexicon.regions[region].parent or region == place
    }


def related(one: str, other: str) -> bool:
    """Whether two findings are the same, or one is a kind of the other."""
    lexicon = default_parser().lexicon
    return one == other or one in lexicon.more_general(other) or other in lexicon.more_general(one)


# --- endings


def is_adjective(words: str) -> bool:
    """Whether words in lower case end as an adjective does."""
    return words.endswith(tables().adjective_endings)


def is_plural(words: str) -> bool:
    """Whether words in lower case end as a plural does."""
    return words.endswith("s") and not words.endswith(("ss", "is", "us"))


def numbered(words: str, like: str, counted: tuple[str, ...] | None = None) -> str:
    """Words in the plural, where the words they replace are and these have one: those with a counted ending."""
    if not is_plural(like.lower()) or not words.endswith(tables().counted if counted is None else counted):
        return words
    if words.endswith("ity"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith("mass") else "s")
