"""`bleu`: n-grams of the candidate that the reference contains, and the precision of each length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

from radeval_core.html_text import text
from radeval_core.ui.views.marks import bar, both_reports, legend, table
from radeval_core.ui.views.words import Word, ngram_legend, ngram_marks, place_tokens


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw the shared n-grams in both reports and the counts behind the score."""
    theirs, ours = words(reference), words(candidate)
    rows = []
    for order, (matched, possible) in enumerate(
        zip(detail["matched_ngrams"], detail["possible_ngrams"], strict=True), 1
    ):
        share = matched / possible if possible else 0.0
        rows.append([f"{order}-gram{'s' if order > 1 else ''}", f"{matched} of {possible}", bar(share, f"{share:.0%}")])
    length, wanted = detail["prediction_length"], detail["reference_length"]
    penalty = "no brevity penalty" if length >= wanted else "the brevity penalty lowers the score"
    return (
        both_reports(reference, candidate, (ngram_marks(theirs, ours), ngram_marks(ours, theirs)))
        + legend(*ngram_legend())
        + table(("Length", "Found in the reference", "Precision"), rows)
        + f'<p class="note">{length} tokens, {wanted} in the reference: {text(penalty)}.</p>'
    )


def words(report: str) -> list[Word]:
    """Return the tokens BLEU counts, with their positions."""
    tokens = Tokenizer13a()(report.rstrip()).split()
    for kind in (Tokenizer13a, TokenizerRegexp):  # sacrebleu would keep the report in memory
        kind.__call__.cache_clear()
    return place_tokens(tokens, report)
