"""`cider`: shared n-grams, and which of them add most to the score because they are rare."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from radeval_core.functional.cider import WORD, DocumentFrequencies, Ngram, cider_d, length_penalty, ngram_vectors
from radeval_core.html_text import text
from radeval_core.ui.views.marks import bar, both_reports, legend, table, two_columns
from radeval_core.ui.views.words import find_words, ngram_legend, ngram_marks

#: rows of the table
_SHOWN = 8
_NONE = '<p class="none">none</p>'


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the shared n-grams in both reports and how much the top ones add to the score.

    `options["frequencies"]` are counted document frequencies, for a page with many pairs; else `options["corpus"]` is
    counted.
    """
    theirs, ours = find_words(WORD, reference), find_words(WORD, candidate)
    shares = contributions(reference, candidate, _frequencies(reference, options))
    heaviest = sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
    rows = [
        [text(" ".join(ngram)), bar(share / heaviest[0][1], f"{share:.2f}")] for ngram, share in heaviest if share > 0
    ]
    note = f"{detail['prediction_words']} words, {detail['reference_words'][0]} in the reference."
    missing = _missing(reference, candidate, _frequencies(reference, options))
    return (
        _penalty(detail["prediction_words"], detail["reference_words"][0])
        + both_reports(reference, candidate, (ngram_marks(theirs, ours), ngram_marks(ours, theirs)))
        + legend(*ngram_legend())
        + two_columns(
            ("Shared words that matter", table(("Words", "Added to the score"), rows) if rows else _NONE),
            ("Missing words that matter", table(("Words", "Weight"), missing) if missing else _NONE),
        )
        + f'<p class="note">{text(note)} Words that every report contains add nothing.</p>'
    )


def _penalty(ours: int, theirs: int) -> str:
    """Write the length penalty with its numbers filled in."""
    gap = ours - theirs
    factor = length_penalty(ours, theirs)
    words = "the same length: no penalty" if not gap else f"{abs(gap)} word{'' if abs(gap) == 1 else 's'} too "
    words += "" if not gap else ("many" if gap > 0 else "few")
    return f'<p class="formula">length penalty = exp(−({gap})² / (2 · 6²)) = <b>{factor:.3f}</b>: {text(words)}</p>'


def _missing(reference: str, candidate: str, frequencies: DocumentFrequencies) -> list[list[str]]:
    """Return the n-grams of the reference that the candidate lacks, the rarest and most frequent first."""
    ours, theirs = ngram_vectors(candidate, frequencies), ngram_vectors(reference, frequencies)
    lacking = {
        n: w
        for mine, other in zip(ours.weights, theirs.weights, strict=True)
        for n, w in other.items()
        if n not in mine
    }
    ordered = sorted(lacking.items(), key=lambda item: (-item[1], item[0]))
    kept: list[tuple[Ngram, float]] = []
    for ngram, weight in ordered:
        if weight > 0 and len(ngram) <= 2 and len(kept) < _SHOWN:
            kept.append((ngram, weight))
    return [[text(" ".join(ngram)), f"{weight:.2f}"] for ngram, weight in kept]


def _frequencies(reference: str, options: Mapping[str, Any]) -> DocumentFrequencies:
    known: DocumentFrequencies | None = options.get("frequencies")
    return known or counted(options.get("corpus") or (reference,))


def counted(corpus: Iterable[str]) -> DocumentFrequencies:
    """Return the document frequencies of a corpus."""
    frequencies = DocumentFrequencies()
    for document in corpus:
        frequencies.add([document])
    return frequencies


def contributions(reference: str, candidate: str, frequencies: DocumentFrequencies) -> dict[Ngram, float]:
    """Return how much each shared n-gram adds to the score of the pair."""
    ours, theirs = ngram_vectors(candidate, frequencies), ngram_vectors(reference, frequencies)
    shared: dict[Ngram, float] = {}
    for mine, other, norm, other_norm in zip(ours.weights, theirs.weights, ours.norms, theirs.norms, strict=True):
        if norm and other_norm:
            for ngram in mine.keys() & other.keys():
                shared[ngram] = min(mine[ngram], other[ngram]) * other[ngram] / (norm * other_norm)
    # scale and length penalty are the same for all n-grams, so the score gives their common factor
    total = math.fsum(shared.values())
    factor = cider_d(ours, [theirs]) / total if total else 0.0
    return {ngram: factor * value for ngram, value in shared.items()}
