"""Check what must hold for any pair: rows, bounds, symmetry, identity, and NaN only where nothing was understood."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from radeval_core import load
from radeval_core.api import LoadedMetric, Scores, score
from radeval_core.errors import InputError
from radeval_core.findings.parser import parse
from radeval_core.functional.cider import DocumentFrequencies, ngram_vectors, self_score
from radeval_core.metrics.spec import MetricSpec
from radeval_core.pairs import is_blank
from radeval_core.registry import get_spec

TOLERANCE = 1e-5
#: problems by metric and kind: `green: out of bounds`
Problems = Counter[str]


def check_pairs(pairs: Sequence[tuple[str, str]], metrics: Sequence[str], order: bool = True) -> Problems:
    """Return the problems of these metrics with these pairs; empty if there are none.

    Pairs with a lone surrogate must be refused; they are left out of the rest.

    Args:
        pairs: the pairs.
        metrics: names of metrics.
        order: also score the pairs in reverse order, and compare.
    """
    problems: Problems = Counter()
    problems["surrogate accepted"] += sum(not _refused(pair) for pair in pairs if not is_valid(pair))
    valid = [pair for pair in pairs if is_valid(pair)]
    if not valid:
        return +problems
    both = [*valid, *(pair[::-1] for pair in valid)]  # a text is read once per run, so mirrored pairs cost little
    scores = score(both, list(metrics))
    problems["rows lost"] += scores.ids != list(range(len(both)))
    backwards = score(both[::-1], list(metrics)) if order else scores
    for name in metrics:
        spec, values = get_spec(name), scores.results[name].scores
        later = backwards.results[name].scores[::-1] if order else values
        for i, pair in enumerate(valid):
            for problem in _problems(spec, pair, float(values[i]), scores, i):
                problems[f"{name}: {problem}"] += 1
            problems[f"{name}: asymmetric"] += spec.symmetric and not _equal(values[i], values[len(valid) + i])
            problems[f"{name}: order of the pairs"] += not _equal(values[i], later[i])
    return +problems


def is_valid(pair: tuple[str, str]) -> bool:
    """Return whether both reports are valid Unicode text, without a lone surrogate."""
    return not any("\ud800" <= character <= "\udfff" for text in pair for character in text)


def _refused(pair: tuple[str, str]) -> bool:
    try:
        score([pair], ["rouge"])
    except InputError:
        return True
    return False


def check_reading(text: str) -> Problems:
    """Return what is wrong with the findings read in a text: offsets outside it, or numbers that are not finite."""
    problems: Problems = Counter()
    for finding in parse(text).findings:
        inside = 0 <= finding.sentence_start <= finding.start <= finding.end <= finding.sentence_end <= len(text)
        problems["parse: offsets"] += not inside
        problems["parse: size"] += not all(math.isfinite(size) for size in finding.measurements)
    return +problems


def _problems(spec: MetricSpec, pair: tuple[str, str], value: float, scores: Scores, i: int) -> list[str]:
    result = scores.results[spec.name]
    if math.isnan(value):
        return [] if result.coverage is not None and result.coverage[i] == 0 else ["NaN outside the rule"]
    low, high = spec.bounds
    found = []
    if math.isinf(value) or (low is not None and value < low - 1e-9) or (high is not None and value > high + 1e-9):
        found.append("out of bounds")
    if pair[0] == pair[1] and not is_blank(pair[0]) and spec.name != "cider" and not _is_identity(spec, value):
        found.append("identity")
    return found


def _is_identity(spec: MetricSpec, value: float) -> bool:
    # a report without a word or an entity has nothing in common with itself: the rule for empty reports holds
    if spec.name == "radcliq":  # for each of its parts: a report can have words but no entity
        return (
            min(spec.identity, spec.empty.both) - TOLERANCE <= value <= max(spec.identity, spec.empty.both) + TOLERANCE
        )
    return _equal(value, spec.identity) or _equal(value, spec.empty.both)


def cider_identities(texts: Sequence[str]) -> Problems:
    """Return the texts whose CIDEr with themselves is not what the formula allows, among documents of these texts."""
    frequencies = DocumentFrequencies()
    for text in texts:
        frequencies.add([text])
    metric: LoadedMetric = load("cider", progress=False)
    found = metric.compute(list(texts), list(texts))["scores"]
    expected = [self_score(ngram_vectors(text, frequencies)) for text in texts]
    return +Counter({"cider: identity": sum(not _equal(a, b) for a, b in zip(found, expected, strict=True))})


def _equal(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or abs(one - other) <= TOLERANCE
