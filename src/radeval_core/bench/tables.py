"""Turn the sections of a result into text tables for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable

from radeval_core.bench.cells import Result, Table, count_text, metrics_of, plain_number, value, words
from radeval_core.bench.discrimination_tables import discrimination_tables
from radeval_core.bench.expert_data import MEASURES
from radeval_core.bench.paper_tables import (
    answers_table,
    between_raters_tables,
    corrections_tables,
    count_categories_table,
    counts_table,
    entities_table,
    failure_modes_tables,
    published_table,
)
from radeval_core.error_categories import CATEGORIES


def main_table(result: Result) -> Table:
    """Return the first table: agreement, or the accuracy for triads."""
    names = metrics_of(result)
    if any("entities" in result[name] for name in names):
        return entities_table(result)
    if any("accuracy" in result[name] for name in names):
        header = ["metric", "accuracy", "ties", "accuracy without ties", "n"]
        keys = ("accuracy", "ties", "decided")
        ordered = _best_first(result, names, "accuracy")
        rows = [[name, *(value(result[name][key]) for key in keys), count_text(result[name])] for name in ordered]
        note = "How often the synonym scores better than the opposite; a tie counts as wrong."
        return Table("triads", "Synonym or opposite", header, rows, note)
    shown = [key for key in (*(f"kendall_{m}" for m in MEASURES), "preference_accuracy") if _has(result, names, key)]
    titles = [words(key.replace("kendall", "tau")) for key in shown]
    ordered = _best_first(result, names, shown[0])
    rows = [[name, *(value(result[name].get(key)) for key in shown), count_text(result[name])] for name in ordered]
    note = "Kendall's tau-b; positive is agreement; best metric first."
    if any(key in result["experts"] for key in shown):
        rows.append(["experts", *(value(result["experts"].get(key)) for key in shown), ""])
        note += " `experts`: each rater against the mean of the others; this is the ceiling."
    return Table("agreement", "Agreement with experts", ["metric", *titles, "n"], rows, note)


def _best_first(result: Result, names: list[str], key: str) -> list[str]:
    values = {name: result[name][key]["value"] for name in names}
    return sorted(names, key=lambda name: (values[name] is None, -(values[name] or 0.0)))


def extra_tables(result: Result) -> list[Table]:
    """Return the other tables that the result has data for."""
    tables = [
        *_rater_tables(result),
        *between_raters_tables(result),
        _categories(result),
        _preference(result, "margin", "the difference between the experts' ratings"),
        _preference(result, "confidence", "the experts' stated confidence"),
        counts_table(result),
        count_categories_table(result),
        answers_table(result),
        *failure_modes_tables(result),
        *corrections_tables(result),
        _sensitivity(result),
        *discrimination_tables(result),
        published_table(result),
        _differences(result),
    ]
    return [table for table in tables if table is not None and table.rows]


def _has(result: Result, names: Iterable[str], key: str) -> bool:
    return any(key in result[name] for name in names)


def _rater_tables(result: Result) -> list[Table]:
    tables = []
    for measure in MEASURES:
        key = f"kendall_{measure}"
        rows = [
            [name, *(value(each) for each in result[name][key]["raters"])]
            for name in metrics_of(result)
            if "raters" in result[name].get(key, {})
        ]
        ceiling = result.get("experts", {}).get(key, {})
        if rows and "raters" in ceiling:
            rows.append(["vs other raters", *(plain_number(v) for v in ceiling["raters"])])
        header = ["metric", *(f"radiologist {i}" for i in range(1, len(rows[0]) if rows else 0))]
        title = f"Tau with {words(measure)} of each radiologist"
        tables.append(Table(f"raters-{measure}", title, header, rows, "Like table S2 of the RadCliQ paper."))
    return tables


def _categories(result: Result) -> Table:
    rows = [
        [name, *(value(result[name]["kendall_categories"][c], interval=False) for c in CATEGORIES)]
        for name in metrics_of(result)
        if "kendall_categories" in result[name]
    ]
    note = "Kendall's tau-b with the experts' errors of one category. It shows which errors a metric detects."
    return Table("categories", "Agreement by error category", ["metric", *map(words, CATEGORIES)], rows, note)


def _preference(result: Result, by: str, what: str) -> Table | None:
    key = f"preference_by_{by}"
    names = [name for name in metrics_of(result) if result[name].get(key)]
    if not names:
        return None
    header = ["metric", *(f"{g['from']:.2f} to {g['to']:.2f}" for g in result[names[0]][key])]
    rows = [[name, *(f"{value(g)}, n {g['n']}" for g in result[name][key])] for name in names]
    note = f"Share of studies where the metric prefers the experts' candidate, grouped by {what} (in thirds)."
    return Table(f"preference-{by}", f"Preference accuracy by {by}", header, rows, note)


def _sensitivity(result: Result) -> Table | None:
    found = result.get("sensitivity")
    if not found:
        return None
    kinds = list(found["changes"])
    rows = [
        [name, *(value(falls[kind], interval=False) for kind in kinds), _ratio(falls["ratio"])]
        for name, falls in found["falls"].items()
    ]
    rows.append(["changed reports", *(str(found["changes"][kind]) for kind in kinds), ""])
    note = (
        "Mean fall of the score after one change; paraphrase and order keep the meaning. Ratio: fall for errors "
        "divided by fall for changes that keep the meaning. Like table 3 of the FFL paper; our own parser makes the "
        "changes."
    )
    return Table("sensitivity", "Sensitivity to errors", ["metric", *kinds, "ratio"], rows, note)


def _ratio(ratio: float | None) -> str:
    return "inf" if ratio is None else f"{ratio:.1f}"


def _differences(result: Result) -> Table | None:
    found = result.get("differences")
    key = next((f"kendall_{m}" for m in MEASURES if found and f"kendall_{m}" in found[0]), None)
    if not found or key is None:
        return None
    lower: dict[str, list[tuple[float, str]]] = {}
    for row in found:
        gap = row[key]
        if gap["value"] is not None and gap["p_bh"] is not None and gap["p_bh"] <= 0.05:
            better, worse = row["metrics"] if gap["value"] > 0 else row["metrics"][::-1]
            lower.setdefault(better, []).append((abs(gap["value"]), worse))
    rows = [
        [name, ", ".join(f"{other} by {by:.3f}" for by, other in sorted(lower[name]))]
        for name in sorted(lower, key=lambda name: -len(lower[name]))
    ]
    pairs = sum(map(len, lower.values()))
    note = (
        f"{pairs} of {len(found)} pairs of metrics; paired bootstrap with {found[0][key]['resamples']} resamples, "
        "p at most 0.05 after Benjamini-Hochberg."
    )
    title = f"Significant differences: {words(key.replace('kendall', 'tau'))}"
    return Table("differences", title, ["metric", "is higher than"], rows, note)
