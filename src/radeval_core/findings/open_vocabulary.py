"""The words that the open reading knows: open_vocabulary.json from public names, open_words.yaml written by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class OpenVocabulary:
    """The words of findings and places beyond the lexicon.

    Attributes:
        heads: nouns with which names of findings and diseases end.
        alone: heads that are such a name without another word.
        known: all words of such names, of places and of qualities, heads included.
        places: nouns with which names of places end.
        aside: words of clauses that state no finding: management, technique, history, people.
        predicate: words between a subject and what is said of it.
        vague: heads that need a modifier.
        bland: modifiers that are not enough for a vague head.
        grave: heads of findings that are acted on.
        defect: words that make a finding of a place: `blunted`.
    """

    heads: frozenset[str]
    alone: frozenset[str]
    known: frozenset[str]
    places: frozenset[str]
    aside: frozenset[str]
    predicate: frozenset[str]
    vague: frozenset[str]
    bland: frozenset[str]
    grave: frozenset[str]
    defect: frozenset[str]


@cache
def open_vocabulary() -> OpenVocabulary:
    """Return the vocabulary; the files are read once."""
    names = {key: words.split() for key, words in json.loads(_read("open_vocabulary.json")).items()}
    lists = {
        key: frozenset(words)
        for key, words in yaml.load(
            _read("open_words.yaml"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        ).items()
    }
    heads = frozenset(names["heads"]) | lists["grave"] | lists["vague"]
    return OpenVocabulary(
        heads=heads - lists["never"],
        alone=(frozenset(names["alone"]) | lists["grave"]) - lists["vague"],
        known=heads.union(names["places"], names["words"], lists["defect"]),
        places=frozenset(names["places"]),
        aside=lists["aside"],
        predicate=lists["predicate"],
        vague=lists["vague"],
        bland=lists["bland"],
        grave=lists["grave"],
        defect=lists["defect"],
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")
