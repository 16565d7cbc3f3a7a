"""Words to put into a report: lexicon forms of findings and places, and the tables of words.yaml."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.text import normalise_form

VERB = re.compile(r"\b(is|are|was|were|appears?|remains?)\s+", re.IGNORECASE)


class Tables(NamedTuple):
    """The tables of words.yaml; that file explains each."""

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
    """Return the tables of words.yaml."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    read: dict[str, Any] = yaml.load(Path(__file__).with_name("words.yaml").read_text("utf-8"), Loader=loader)
    lists = {name: tuple(value) for name, value in read.items() if isinstance(value, list)}
    return Tables(**{**read, **lists, "stops": frozenset(read["stops"])})


# --- words of the lexicon


@lru_cache(maxsize=4)
def _forms(lexicon: Lexicon) -> dict[str, list[str]]:
    """Return the readable forms of each finding and region (key `region:<name>`), without those that contain a side."""
    found: dict[str, list[str]] = {}
    for tokens, finding, region, form_side, *_ in lexicon.to_json()["forms"]:
        name = finding or (f"region:{region}" if region else "")
        if name and not form_side and all(map(str.isalpha, tokens)) and sum(map(len, tokens)) >= 5:
            found.setdefault(name, []).append(" ".join(tokens))
    return {name: sorted(forms) for name, forms in found.items()}


def forms_of(name: str, lexicon: Lexicon) -> list[str]:
    """Return the readable forms of a finding, or of a region given as `region:<name>`."""
    return _forms(lexicon).get(name, [])


@lru_cache(maxsize=4096)
def name_words(name: str, lexicon: Lexicon) -> str:
    """Return a finding's name as words if the lexicon reads them as that finding, else its shortest form, else ''."""
    words = name.replace("_", " ")
    roles = lexicon.surface(normalise_form(words))
    if roles is not None and roles.finding == name and not roles.form_side:
        return words
    return min(forms_of(name, lexicon), key=lambda form: (len(form.split()), form), default="")


def place_words(name: str, written: str, lexicon: Lexicon) -> list[str]:
    """Return up to two forms of a region, the plainest first; adjectives if `written` is an adjective."""
    adjective = is_adjective(written.lower())
    forms = [f for f in forms_of(f"region:{name}", lexicon) if is_adjective(f) == adjective]
    forms.sort(key=lambda form: (form != name.replace("_", " "), len(form), form))
    return [numbered(form, written, tables().counted_places) for form in forms[:2]]


def family(name: str, lexicon: Lexicon) -> set[str]:
    """Return the regions of a finding and those that contain them, without the top-level body part."""
    return {
        region
        for place in lexicon.entries[name].regions
        for region in (place, *lexicon.ancestors(place))
        if lexicon.regions[region].parent or region == place
    }


# --- endings


def is_adjective(words: str) -> bool:
    """Return whether lower-case words end like an adjective."""
    return words.endswith(tables().adjective_endings)


def is_plural(words: str) -> bool:
    """Return whether lower-case words end like a plural."""
    return words.endswith("s") and not words.endswith(("ss", "is", "us"))


def numbered(words: str, like: str, counted: tuple[str, ...] | None = None) -> str:
    """Return words in the plural if the words `like` are plural and the words have a plural (a `counted` ending)."""
    if not is_plural(like.lower()) or not words.endswith(tables().counted if counted is None else counted):
        return words
    if words.endswith("ity"):
        return words[:-1] + "ies"
    return words + ("es" if words.endswith("mass") else "s")
