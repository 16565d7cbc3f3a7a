"""Matching by distinct names gives the matches of comparing every entity with every other one."""

import random
from functools import partial

import numpy as np
import pytest

from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.views.rate_concepts import Concept
from radeval_core.functional.ratescore import TYPES, entity_match, published_affinities
from radeval_core.metrics import _entity_matching
from radeval_core.metrics._entity_matching import Side, both_ways

NAMES = ("opacity", "consolidation", "pneumonia", "nodule", "mass", "effusion", "pleural_effusion", "pneumothorax")
JOIN = partial(entity_match, affinity=published_affinities()["long"])


def entities(drawn, count, unnamed):
    names = ("", *NAMES) if unnamed else NAMES
    concepts = []
    for _ in range(count):
        name = drawn.choice(names)
        words = name.replace("_", " ") or drawn.choice(("shadow", "haze", "line"))
        side, severity = drawn.choice(("", "left", "right")), drawn.choice(("", "mild", "severe"))
        concepts.append(Concept(name, words, side, severity, drawn.choice((None, True, False))))
    return Side(concepts, [drawn.choice(TYPES) for _ in concepts])


def vectors_of(*sides):
    rng = np.random.default_rng(3)
    words = sorted({concept.words for side in sides for concept in side.concepts})
    vectors = rng.normal(size=(len(words), 6)).astype(np.float32)
    return dict(zip(words, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True))


@pytest.mark.parametrize("at_once", [0, 7, 200])
@pytest.mark.parametrize("with_lexicon", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_names_compared_once_give_the_same_matches(seed, with_lexicon, at_once, monkeypatch):
    drawn = random.Random(seed)
    one, other = entities(drawn, 90, seed % 2 == 0), entities(drawn, 60, True)
    lexicon = load_lexicon(()) if with_lexicon else None
    vectors = vectors_of(one, other)
    expected = both_ways(one, other, vectors, lexicon, JOIN)
    monkeypatch.setattr(_entity_matching, "_SMALL", at_once)
    found = both_ways(one, other, vectors, lexicon, JOIN)
    for ways, plain in zip(found, expected, strict=True):
        assert [(m.index, m.cell, m.penalised) for m in ways] == [(m.index, m.cell, m.penalised) for m in plain]
        assert [m.similarity for m in ways] == pytest.approx([m.similarity for m in plain], abs=1e-12)


def test_what_is_compared_does_not_grow_when_names_come_again(monkeypatch):
    sizes = []
    plain = _entity_matching._similarity
    monkeypatch.setattr(
        _entity_matching, "_similarity", lambda *given: sizes.append(len(given[0]) * len(given[1])) or plain(*given)
    )
    monkeypatch.setattr(_entity_matching, "_SMALL", 500)
    drawn = random.Random(0)
    for count in (60, 600):
        one, other = entities(drawn, count, False), entities(drawn, count, False)
        both_ways(one, other, vectors_of(one, other), load_lexicon(()), JOIN)
    assert max(sizes) <= len(NAMES) ** 2
