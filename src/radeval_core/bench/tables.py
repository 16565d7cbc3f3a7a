"""Turn the sections of a result into text tables for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from radeval_core.bench.expert_data import MEASURES, SIGNIFICANCE
from radeval_core.error_categories import CATEGORIES

Result = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """One section of the result.

    Attributes:
        key: its id, for links.
        title: heading.
        header: column names.
        rows: cells.
        note: explanation of the table.
    """

    key: str
    title: str
    header: list[str]
    rows: list[list[str]]
    note: str = ""


def metrics_of(result: Result) -> list[str]:
    """Return the metrics of a result, in order."""
    return [name for name, row in result.items() if isinstance(row, dict) and "signature" in row]


def words(key: str) -> str:
    """Return a key with spaces instead of underscores."""
    return key.replace("_", " ")


def value(row: Mapping[str, Any] | None, interval: bool = True, digits: int = 3) -> str:
    """Format a number with its interval, or a dash if it is undefined."""
    if row is None or row["value"] is None:
        return "-"
    ci = f" ({row['ci95'][0]:.{digits}f} to {row['ci95'][1]:.{digits}f})" if interval and row.get("ci95") else ""
    return f"{row['value']:.{digits}f}{ci}"


def plain_number(number: float | None, digits: int = 3) -> str:
    """Format a number, or a dash for None."""
    return "-" if number is None else f"{number:.{digits}f}"


def count_text(row: Mapping[str, Any]) -> str:
    """Format the number of scored pairs, and of unscored ones if there are any."""
    return f"{row['n']}" + (f" ({row['unscored']} unscored)" if row["unscored"] else "")


def main_table(result: Result) -> Table:
    """Return the first table: agreement, or the accuracy for triads."""
    names = metrics_of(result)
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
        _categories(result),
        _preference(result, "margin", "the difference between the experts' ratings"),
        _preference(result, "confidence", "the experts' stated confidence"),
        _counts(result),
        _count_categories(result),
        *_failure_modes(result),
        *_corrections(result),
        _sensitivity(result),
        _published(result),
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


def _counts(result: Result) -> Table | None:
    names = [name for name in metrics_of(result) if "counts" in result[name]]
    kinds = [f"{kind}{by}" for by in ("", "_by_category") for kind in SIGNIFICANCE]
    keys = [f"mae_{k}" for k in (*kinds, "matched_findings", "score")]
    shown = [key for key in keys if any(key in result[name]["counts"] for name in names)]
    if not names:
        return None
    rows = [[name, *(_mae(result[name]["counts"].get(key)) for key in shown)] for name in names]
    raters = [result[name]["counts"].get("mae_raters") for name in names]
    header = ["metric", *(words(key.removeprefix("mae_")) for key in shown)]
    if any(raters):
        header.append("significant, vs each radiologist")
        for row, each in zip(rows, raters, strict=True):
            row.append(" ".join(plain_number(v, 2) for v in each or ()))
    between = result["experts"].get("mae_significant_errors")
    if between:
        gaps = [v for i, line in enumerate(between) for v in line[i + 1 :] if v is not None]
        if gaps:
            rows.append(["between radiologists", plain_number(sum(gaps) / len(gaps)), *[""] * (len(header) - 2)])
    note = (
        "Mean absolute error (95 % interval) ± standard deviation, vs the experts' mean. Total counts are GREEN's "
        "table 1; `by category` sums the differences of the categories, as in its tables 2 and 4."
    )
    return Table("counts", "Error counts", header, rows, note)


def _mae(row: Mapping[str, Any] | None) -> str:
    return "-" if row is None or row["value"] is None else f"{value(row)} ± {row['std']:.3f}"


def _count_categories(result: Result) -> Table:
    rows = []
    for name in metrics_of(result):
        categories = result[name].get("counts", {}).get("categories")
        if categories:
            rows.append([name, "accuracy", *(value(categories[c]["accuracy"], interval=False) for c in CATEGORIES)])
            rounded = [value(categories[c]["accuracy_rounded"], interval=False) for c in CATEGORIES]
            rows.append(["", "accuracy, rounded", *rounded])
            for key in ("precision", "recall"):
                rows.append(["", key, *(plain_number(categories[c][key]) for c in CATEGORIES)])
    note = (
        "Accuracy: the count of significant errors equals the experts' mean, not rounded, as in GREEN's table 4; below "
        "it with the mean rounded. Precision and recall: of at least one error, significant or not, per pair and "
        "radiologist (FineRadScore, appendix D)."
    )
    return Table("count-categories", "Error counts by category", ["metric", "", *map(words, CATEGORIES)], rows, note)


_NOT_S3 = (
    "Not comparable with table S3 of RadCliQ: there a metric retrieves the candidate from a corpus, here it chooses "
    "among the candidates of a study."
)


def _failure_modes(result: Result) -> list[Table]:
    found = result.get("failure_modes")
    if not found:
        return []
    tables = []
    by_candidate = found["by"] == "candidate"
    columns = (*CATEGORIES, "total")
    for kind, means in found["means"].items():
        rows = [[name, *(plain_number(by[c]) for c in columns)] for name, by in means.items()]
        rows += [
            [f"{row['candidate']}, published", *map(plain_number, row["means"])]
            for row in found.get("published", ())
            if row["measure"] == kind
        ]
        title = f"Failure modes: {'all ' if kind == 'errors' else ''}{words(kind)}"
        what = "each kind of candidate in the data" if by_candidate else "the candidates that a metric scores best"
        note = f"Mean {words(kind)} of {what}; {found['studies']} studies. " + (
            "RadCliQ, table S3." if by_candidate else _NOT_S3
        )
        tables.append(Table(f"failure-{kind}", title, [found["by"], *map(words, columns)], rows, note))
    worse: dict[tuple[str, str, str], list[str]] = {}
    for test in found["tests"]:
        if test["significant"]:
            worse.setdefault((test["errors"], test["category"], test["more"]), []).append(test["fewer"])
    rows = [[words(kind), words(c), more, ", ".join(fewer)] for (kind, c, more), fewer in worse.items()]
    rate = f"{100 * found['false_discovery_rate']:g} %"
    note = (
        f"One-sided two-sample t-tests, Benjamini-Hochberg at {rate} within each category, as in table S4 of RadCliQ."
    )
    header = ["errors", "category", "candidates of", "have more errors than those of"]
    tables.append(Table("failure-tests", "Failure modes: significant differences", header, rows, note))
    return tables


def _corrections(result: Result) -> list[Table]:
    found = result.get("corrections")
    if not found:
        return []
    settings = {name: section for name, section in found.items() if name != "radiologists"}
    types = ("keep", "delete", "rewrite", "insert", "no_insert")
    rows = [[words(s), *(value(section["types"][t]) for t in types)] for s, section in settings.items()]
    note = "Share of lines (insert, no insert: reports) with the radiologist's action; tables 1, 4 and 7."
    tables = [Table("correction-types", "Kind of correction", ["setting", *map(words, types)], rows, note)]
    parts = list(next(iter(settings.values()))["new_text"])
    rows = [[words(s), *(value(section["new_text"].get(p)) for p in parts)] for s, section in settings.items()]
    note = "All rewritten or inserted text, compared with the radiologist's; tables 2, 5 and 8."
    tables.append(Table("correction-text", "New text", ["setting", *map(words, parts)], rows if parts else [], note))
    keys = ("mae", "exact", "within_one")
    rows = [[words(s), *(value(section["severity"][k]) for k in keys)] for s, section in settings.items()]
    if found["radiologists"]:
        rows.append(["between radiologists", value(found["radiologists"]["severity_mae"]), "", ""])
    header = ["setting", "mean absolute error", "exact", "within one"]
    note = "Highest severity per report, 0 to 4; figure 2."
    tables.append(Table("correction-severity", "Severity", header, rows, note))
    rows = [
        [words(s) if i == 0 else "", metric, *(value(row[k]) for k in ("base", "corrected", "gain"))]
        for s, section in settings.items()
        for i, (metric, row) in enumerate(section["gain"].items())
    ]
    header = ["setting", "metric", "candidate", "corrected", "gain"]
    note = "Score against the reference before and after the corrections; a positive gain is better; tables 3, 6, 9."
    tables.append(Table("correction-gain", "Gain from corrections", header, rows, note))
    return tables


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


def _published(result: Result) -> Table:
    rows = [
        [
            row["label"],
            row["metric"] or "-",
            _measure(row),
            f"{value(row)}",
            value(row["measured"]),
            "" if row["comparable"] is None else "yes" if row["comparable"] else f"no: {row['why_not']}",
            f"{row['paper']}, {row['table']}, n {row['pairs']}",
        ]
        for row in result.get("published", ())
    ]
    header = ["name in paper", "metric", "measure", "published", "measured", "comparable", "source"]
    note = "`comparable`: the same pairs and definition, and the model that the paper ran."
    return Table("published", "Published values", header, rows, note)


def _measure(row: Mapping[str, Any]) -> str:
    measure = words(row.get("measure", "accuracy"))
    return f"{row['coefficient']} {measure}" if "coefficient" in row else measure


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
