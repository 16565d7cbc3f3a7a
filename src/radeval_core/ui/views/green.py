"""`green`: the marked-up candidate, the counts and weights behind the score, and both formulas with their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from radeval_core.functional.green import HALVING, ON_TOPIC, weighted_green
from radeval_core.html_text import text
from radeval_core.ui.views.error_categories import all_errors, error_counts, error_table
from radeval_core.ui.views.marks import marked_pair, plural


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the score by hand, the marked-up candidate, the errors and the matched findings."""
    if "matched" not in detail:
        return f'<p class="summary">Not analysed: {text(detail.get("reason", ""))}</p>'
    facts = f"✓ {plural(detail['matched']['count'], 'matched finding')} · {error_counts(detail)}"
    return (
        f'<p class="facts">{facts}</p>{formula(detail)}<p class="summary">{text(detail["explanation"])}</p>'
        + (marked_pair(reference, candidate, options) if "weighted" in detail else "")
        + error_table(detail)
        + _matched(detail)
        + _weighted(detail)
    )


def formula(detail: Mapping[str, Any]) -> str:
    """Write the paper's equation with its numbers filled in."""
    matched = detail["matched"]["count"]
    errors = sum(counted["count"] for counted in detail["significant"].values())
    if not matched:
        return '<p class="formula">green = 0, because nothing matches</p>'
    score = matched / (matched + errors)
    return (
        '<p class="formula">green = matched / (matched + significant errors) = '
        f"{matched} / ({matched} + {errors}) = <b>{score:.3f}</b></p>"
    )


def _matched(detail: Mapping[str, Any]) -> str:
    """List the matched findings; one that also has an error is no plain ✓."""
    items = []
    for entry in detail["matched"]["entries"]:
        wrong = list(_errors_of(entry, detail))
        weight = f" <small>weight {entry['weight']:.4g}</small>" if "weight" in entry else ""
        if wrong:
            items.append(f'<li class="part">△ {text(entry["text"])}, but {text("; ".join(wrong))}{weight}</li>')
        else:
            items.append(f'<li class="match">✓ {text(entry["text"])}{weight}</li>')
    if not items:
        return ""
    note = (
        '<p class="note">△ is matched in the count above, and its error is counted too.</p>'
        if any("△" in item for item in items)
        else ""
    )
    return f'<h4>Matched findings</h4><ul class="chips">{"".join(items)}</ul>{note}'


def _errors_of(entry: Mapping[str, Any], detail: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a matched finding: errors that name it, in the same sentences of both reports."""
    if "reference" not in entry or "prediction" not in entry:
        return
    for _, _, error in all_errors(detail):
        name, colon, what = error["text"].partition(": ")
        same = all(error.get(side) == entry[side] for side in ("reference", "prediction"))
        if colon and same and entry["text"].endswith(name):
            yield what


def _weighted(detail: Mapping[str, Any]) -> str:
    """Show the weighted variant, which only the embedded judge gives, with its numbers filled in."""
    if "weighted" not in detail:
        return ""
    entries = detail["matched"]["entries"]
    matched, lost = [e.get("weight", 0.0) for e in entries], [e.get("lost", 0.0) for e in entries]
    errors = [error.get("weight", 0.0) for _, _, error in all_errors(detail)]
    right, wrong = math.fsum([*matched, ON_TOPIC]), math.fsum([*errors, *lost])
    lines = [
        f"right = weights of the matched findings + {ON_TOPIC:g} = {_sum([*matched, ON_TOPIC])}",
        f"wrong = weights of all errors + lost by vaguer words = {_sum([*errors, *(part for part in lost if part)])}",
        f"green.weighted = right / (right + wrong) / (1 + errors / {HALVING}) = {right:.4g} / "
        f"({right:.4g} + {wrong:.4g}) / (1 + {len(errors)} / {HALVING}) = <b>{detail['weighted']:.3f}</b>",
    ]
    if not math.isclose(weighted_green(matched, errors, lost), detail["weighted"]):  # the rule for empty reports
        lines = [f"one report is empty: green.weighted = <b>{detail['weighted']:.3f}</b>"]
    listed = "".join(f"<div>{line}</div>" for line in lines)
    return (
        f'<p class="note">Weighted by clinical significance (green.weighted): <b>{detail["weighted"]:.3f}'
        "</b>. It ranks candidates better; the score above is the paper's equation, which only counts.</p>"
        f'<details><summary>The weighted score by hand</summary><div class="summary">{listed}</div></details>'
    )


def _sum(parts: list[float]) -> str:
    if not parts:
        return "0"
    total = f"{math.fsum(parts):.4g}"
    return total if len(parts) == 1 else f"{' + '.join(f'{part:.4g}' for part in parts)} = {total}"
