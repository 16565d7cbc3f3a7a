"""Write the list of pairs: the controls that sort and filter it, and a table with every pair and score."""

from __future__ import annotations

import math
from collections.abc import Iterator

from radeval_core.error_categories import CATEGORIES, in_words
from radeval_core.html_text import text
from radeval_core.score_scale import goodness
from radeval_core.ui.report.content import Content, ShownPair
from radeval_core.ui.report.pair import shown_score
from radeval_core.ui.score_header import direction


def controls(content: Content) -> str:
    """Return the form that sorts and filters the pairs."""
    metrics = "".join(_option(name, name) for name in content.names)
    keys = f"{metrics}{_option('id', 'id')}{_option('place', 'order of the file')}"
    orders = f"{_option('worst', 'worst first')}{_option('best', 'best first')}"
    return (
        '<form id="controls" aria-label="Sort and filter the pairs">'
        f'<label>Sort by <select name="sort">{keys}</select></label>'
        f'<label>Order <select name="order">{orders}</select></label>'
        '<label>Id contains <input name="id" type="search" autocomplete="off" spellcheck="false"></label>'
        f"{_error_filter(content)}"
        f'<span class="range"><label>Score of <select name="metric">{metrics}</select></label>'
        '<label>from <input name="from" type="number" step="any" inputmode="decimal"></label>'
        '<label>to <input name="to" type="number" step="any" inputmode="decimal"></label></span>'
        '<label class="check"><input name="unscored" type="checkbox"> Only unscored</label>'
        '<span class="buttons"><button type="button" id="clear">Clear</button>'
        '<button type="button" id="open-all">Open all</button>'
        '<button type="button" id="close-all">Close all</button></span>'
        '<output id="shown" role="status"></output></form>\n'
    )


def _error_filter(content: Content) -> str:
    """Return the choice of a kind of error, with the number of pairs that have it."""
    tokens = [token for pair in content.pairs for error in pair.errors for token in error.tokens]
    if not tokens:
        return ""
    groups = []
    for label, prefix in (("Significant errors", "significant-"), ("All errors", "")):
        found = [(f"{prefix}{category}", in_words(category)) for category in CATEGORIES]
        options = "".join(
            _option(token, f"{words} ({tokens.count(token):,})") for token, words in found if token in tokens
        )
        groups.append(f'<optgroup label="{label}">{options}</optgroup>' if options else "")
    return f'<label>Error <select name="error">{_option("", "any or none")}{"".join(groups)}</select></label>'


def _option(value: str, words: str) -> str:
    return f'<option value="{text(value)}">{text(words)}</option>'


def index_table(content: Content) -> str:
    """Return the table of all pairs; a heading sorts by its column, an id opens its pair."""
    covered = any(pair.coverage is not None for pair in content.pairs)
    head = "".join(_heading(content, name) for name in content.names)
    head += '<th scope="col">coverage</th>' if covered else ""
    rows = "".join(_row(content, pair, covered) for pair in content.pairs)
    return (
        '<div id="index" class="scroll" tabindex="0" role="region" aria-label="Index of pairs"><table><thead><tr>'
        '<th scope="col" data-key="id"><button type="button">id</button></th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></div>\n"
    )


def _heading(content: Content, name: str) -> str:
    spec = content.results[name].spec
    better = "higher" if spec.higher_is_better else "lower"
    return (
        f'<th scope="col" data-key="{name}" data-better="{better}"{_sorted(content, name)}>'
        f'<button type="button" title="{direction(spec)}; click to sort">{text(name)} {spec.arrow}</button></th>'
    )


def _sorted(content: Content, name: str) -> str:
    if name != content.first:
        return ""
    return f' aria-sort="{"ascending" if content.results[name].spec.higher_is_better else "descending"}"'


def _row(content: Content, shown: ShownPair, covered: bool) -> str:
    errors = " ".join(token for error in shown.errors for token in error.tokens)
    coverage = "–" if shown.coverage is None else f"{shown.coverage:.0%}"
    return (
        f'<tr data-place="{shown.place}" data-errors="{errors}">'
        f'<th scope="row"><a href="#pair-{shown.place}"><bdi>{text(shown.pair.id)}</bdi></a></th>'
        f"{''.join(_cells(content, shown))}{f'<td>{coverage}</td>' if covered else ''}</tr>"
    )


def _cells(content: Content, shown: ShownPair) -> Iterator[str]:
    """Yield one cell per metric, tinted by how far the score is from that of identical reports."""
    for name in content.names:
        value = shown.values[name]
        if math.isnan(value):
            yield '<td class="unscored">–</td>'
        else:
            bad = 1 - goodness(content.results[name].spec, value)
            yield f'<td data-value="{value!r}" style="--bad:{bad:.2f}">{shown_score(value)}</td>'
