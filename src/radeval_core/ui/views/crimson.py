"""`crimson`: both reports with their findings and errors, and the weights that give the score, to recompute by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from radeval_core.html_text import text
from radeval_core.ui.views.marks import Mark, both_reports, legend, marked_pair, plural, table

#: levels of clinical significance in words
_LEVELS = {
    "urgent": "urgent",
    "actionable_not_urgent": "actionable",
    "not_actionable_not_urgent": "not actionable",
    "benign_expected": "expected",
}
_NONE = '<span class="none">none</span>'


def draw(detail: Mapping[str, Any], reference: str, candidate: str, options: Mapping[str, Any]) -> str:
    """Draw the findings and errors in both reports, their weights, and the formula with its numbers."""
    if "sums" not in detail:
        return f'<p class="summary">Not analysed: {text(detail.get("reason", ""))}</p>'
    errors = detail["attribute_errors"]
    facts = " · ".join(
        (
            f"✓ {plural(len(detail['matches']), 'match').replace('matchs', 'matches')}",
            f"✗ {plural(len(detail['false_findings']), 'false finding')}",
            f"✗ {plural(len(detail['missing_findings']), 'missing finding')}",
            f"△ {plural(len(errors), 'attribute error')}",
        )
    )
    return (
        f'<p class="facts">{facts}</p>'
        + formula(detail)
        + (marked_pair(reference, candidate, options) if "coverage" in detail else "")
        + _reference_table(detail)
        + _candidate_table(detail)
        + _context(detail)
        + "<details><summary>The findings R1, P1, … in the reports</summary>"
        + both_reports(reference, candidate, (_marks(detail, "reference"), _marks(detail, "prediction")))
        + legend(
            ("error", "✗ missing in the candidate, or false"),
            ("minor", "△ matched, with an attribute error"),
            ("match", "✓ matched"),
            ("unread", "○ expected in this patient: weighs nothing"),
        )
        + "</details>"
    )


def formula(detail: Mapping[str, Any]) -> str:
    """Write the formula with its numbers filled in."""
    sums = detail["sums"]
    correct, false, missing, total = (sums[name] for name in ("correct", "false", "missing", "total"))
    references, weights = detail["reference_findings"], {f["id"]: f["weight"] for f in detail["prediction_findings"]}
    lines = [
        f"total weight of the reference findings = {_sum([f['weight'] for f in references], total)}",
        f"credit for the matched ones = {_sum([f['credit'] for f in references if f['credit']], correct)}",
        f"weight of the false findings = {_sum([weights.get(name, 0.0) for name in detail['false_findings']], false)}",
    ]
    surplus = false - correct
    if surplus > 0:
        lines.append(f"false findings outweigh the correct ones by x = {false:.4g} - {correct:.4g} = {surplus:.4g}")
        lines.append(f"score = -x / (1 + x) = -{surplus:.4g} / {1 + surplus:.4g} = <b>{sums['score']:.4f}</b>")
    elif total:
        numbers = f"({correct:.4g} - {false:.4g}) / {total:.4g}"
        lines.append(f"score = (credit - false) / total = {numbers} = <b>{sums['score']:.4f}</b>")
    else:
        nothing = "no reference finding weighs anything" + ("" if missing else ", and nothing is false")
        lines.append(f"{nothing}: score = <b>{sums['score']:.4f}</b>")
    listed = "".join(f"<div>{line}</div>" for line in lines)
    return f'<h4>The score by hand</h4><div class="summary">{listed}</div>'


def _sum(parts: Sequence[float], total: float) -> str:
    """Write a sum with its parts, if there are several."""
    added = " + ".join(f"{part:.4g}" for part in parts)
    return f"{added} = <b>{total:.4g}</b>" if len(parts) > 1 else f"<b>{total:.4g}</b>"


def _reference_table(detail: Mapping[str, Any]) -> str:
    partners = _partners(detail["matches"], "reference", "prediction")
    rows = []
    for finding in detail["reference_findings"]:
        own = [error for error in detail["attribute_errors"] if error["reference"] == finding["id"]]
        rows.append(
            [
                _named(finding),
                _level(finding),
                f"{finding['weight']:.4g}",
                text(", ".join(partners.get(finding["id"], ()))) or '<span class="wrong">missing</span>',
                _errors(own),
                _credit(finding, own),
            ]
        )
    head = ("Reference finding", "Significance", "Weight w", "Match", "Attribute errors a", "Credit w · w / (w + a)")
    return table(head, rows, "stack") if rows else '<p class="note">The reference states no abnormal finding.</p>'


def _candidate_table(detail: Mapping[str, Any]) -> str:
    partners = _partners(detail["matches"], "prediction", "reference")
    false = set(detail["false_findings"])
    rows = [
        [
            _named(finding),
            _level(finding),
            text(", ".join(partners.get(finding["id"], ()))) or _NONE,
            f'<span class="wrong">{finding["weight"]:.4g}</span>' if finding["id"] in false else "-",
        ]
        for finding in detail["prediction_findings"]
    ]
    head = ("Candidate finding", "Significance", "Match", "Weight if false")
    return table(head, rows, "stack") if rows else '<p class="note">The candidate states no abnormal finding.</p>'


def _named(finding: Mapping[str, Any]) -> str:
    return f"<b>{text(finding['id'])}</b> {text(finding['finding'])}"


def _level(finding: Mapping[str, Any]) -> str:
    level = finding["significance"]
    words = text(_LEVELS.get(level, level or "not given"))
    changed = [_LEVELS[rule["from"]] for rule in finding.get("rules", ())]
    return f'{words} <span class="note">(without the context: {text(changed[0])})</span>' if changed else words


def _errors(errors: Sequence[Mapping[str, Any]]) -> str:
    if not errors:
        return _NONE
    listed = "".join(
        f"<li>{text(', '.join(error['types']))}, {text(error['severity'])}: {text(error['text'])} "
        f"<b>{error['weight']:.4g}</b></li>"
        for error in errors
    )
    return f"<ul>{listed}</ul>"


def _credit(finding: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]) -> str:
    weight, credit = finding["weight"], finding["credit"]
    wrong = sum(error["weight"] for error in errors)
    if not wrong or not credit:
        return f"{credit:.4g}"
    return f"{weight:.4g} · {weight:.4g} / ({weight:.4g} + {wrong:.4g}) = {credit:.4g}"


def _context(detail: Mapping[str, Any]) -> str:
    """List the rules of the context that changed a significance."""
    findings = [*detail["reference_findings"], *detail["prediction_findings"]]
    rows = [
        [
            f"<b>{text(finding['id'])}</b> {text(finding['finding'])}",
            f"{text(_LEVELS[rule['from']])} → {text(_LEVELS[rule['to']])}",
            f'{text(rule["why"])} <span class="note">({text(rule["rule"])})</span>',
        ]
        for finding in findings
        for rule in finding.get("rules", ())
    ]
    if not rows:
        return ""
    return "<h4>What the context changed</h4>" + table(("Finding", "Significance", "Why"), rows, "stack")


def _partners(matches: Iterable[Mapping[str, str]], side: str, other: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for match in matches:
        found.setdefault(match[side], []).append(match[other])
    return found


def _marks(detail: Mapping[str, Any], side: str) -> list[Mark]:
    """Return the marks of one report, errors first."""
    wrong = set(detail["missing_findings" if side == "reference" else "false_findings"])
    partly = {error[side] for error in detail["attribute_errors"]}
    expected = {finding["id"] for finding in detail[f"{side}_findings"] if not finding["weight"]} & wrong
    kinds = [("error", "✗", wrong - expected), ("minor", "△", partly), ("unread", "○", expected), ("match", "✓", None)]
    found: dict[str, list[Mark]] = {kind: [] for kind, _, _ in kinds}
    for finding in detail[f"{side}_findings"]:
        kind, sign = next((kind, sign) for kind, sign, names in kinds if names is None or finding["id"] in names)
        if "sentence" in finding:
            note = f"{finding['finding']}: {_LEVELS.get(finding['significance'], '')}, weight {finding['weight']:.4g}"
            start, end = finding["sentence"]
            found[kind].append(Mark(start, end, kind, f"{sign} {finding['id']}", note))
    return [mark for marks in found.values() for mark in marks]
