"""`bertscore`: how similar each word is to its best match in the other report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from radeval_core.html_text import text
from radeval_core.ui.views.marks import legend, report_panel, two_columns

#: lowest similarity of each shade, its CSS class, and what it means
_SHADES = (
    (0.95, "sim4", "0.95 or more: almost identical"),
    (0.8, "sim3", "0.80 to 0.95: close"),
    (0.6, "sim2", "0.60 to 0.80: related"),
    (-1.0, "sim1", "below 0.60: no good match"),
)
#: prefixes of tokens: WordPiece marks continuations, byte-pair encoding marks new words
_PIECE, _SPACE = "##", "Ġ"


class _WholeWord(NamedTuple):
    written: str
    first: int
    last: int


def draw(detail: Mapping[str, Any], reference: str, candidate: str, _: Mapping[str, Any]) -> str:
    """Draw both reports word by word, shaded by the similarity of the best match."""
    ours, theirs = detail["prediction"], detail["reference"]
    cut = any(side["truncated"] for side in (ours, theirs))
    return (
        two_columns(
            ("Reference words, matched in the candidate (recall)", report_panel("".join(_tiles(theirs, ours)))),
            ("Candidate words, matched in the reference (precision)", report_panel("".join(_tiles(ours, theirs)))),
        )
        + legend(*((kind, words) for _, kind, words in _SHADES))
        + '<p class="note">The number under a word is its similarity to its best match; a different word is named. '
        "A word of several tokens shows their mean.</p>"
        + ('<p class="note">The end of a long report was cut off at the model\'s token limit.</p>' if cut else "")
    )


def _tiles(side: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    partners = {}
    for word in _words(other["tokens"]):
        partners.update(dict.fromkeys(range(word.first, word.last + 1), word.written))
    for word in _words(side["tokens"]):
        pieces = range(word.first, word.last + 1)
        similarity = sum(side["best"][i] for i in pieces) / len(pieces)
        kind = next(kind for lowest, kind, _ in _SHADES if similarity >= lowest)
        match = partners.get(side["match"][word.first], "") if side["match"] else ""
        named = "" if match == word.written else f" {match}"
        yield f'<span class="tile {kind}">{text(word.written)}<small>{similarity:.2f}{text(named)}</small></span> '


def _words(tokens: Sequence[str]) -> list[_WholeWord]:
    """Join tokens into words; leave out special tokens such as [CLS] and <s>."""
    words: list[_WholeWord] = []
    byte_pairs = any(token.startswith(_SPACE) for token in tokens)
    for i, token in enumerate(tokens):
        if token[:1] + token[-1:] in ("[]", "<>") and len(token) > 2:
            continue
        joined = not token.startswith(_SPACE) and token[:1].isalnum() if byte_pairs else token.startswith(_PIECE)
        written = token.removeprefix(_PIECE).removeprefix(_SPACE)
        if joined and words and words[-1].last == i - 1:
            words[-1] = _WholeWord(words[-1].written + written, words[-1].first, i)
        else:
            words.append(_WholeWord(written, i, i))
    return words
