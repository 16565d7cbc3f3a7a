"""Tables that repeat a table or figure of a paper: error counts, failure modes, corrections, published values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radeval_core.bench.cells import Result, Table, metrics_of, plain_number, value, words
from radeval_core.bench.expert_data import SIGNIFICANCE
from radeval_core.error_categories import CATEGORIES


def entities_table(result: Result) -> Table:
    """Return how well entities are found, by type: tables 6 and 7 of RaTEScore."""
    keys = ("precision", "recall", "f1", "accuracy", "overlap_f1")
    rows = [
        [name if i == 0 else "", kind, *(value(row[key]) for key in keys), str(row["n"])]
        for name in metrics_of(result)
        for i, (kind, row) in enumerate(result[name]["entities"].items())
    ]
    note = (
        "An entity is found if its tokens and type are right. Accuracy: of the IOB tags; for a type, of its tokens. "
        "Overlap F1 accepts a shared token. RaTEScore, tables 6 and 7."
    )
    if result.get("left_out"):
        note += f" Not run, because they read no typed entities: {', '.join(result['left_out'])}."
    return Table("entities", "Entities", ["metric", "type", *map(words, keys), "n"], rows, note)


def between_raters_tables(result: Result) -> list[Table]:
    """Return the agreement of every two radiologists and their intraclass correlation."""
    tables = []
    for measure, found in result.get("raters", {}).items():
        names = [*(f"radiologist {i}" for i in range(1, len(found["matrix"]))), "mean of all"]
        rows = [[name, *map(plain_number, line)] for name, line in zip(names, found["matrix"], strict=True)]
        title = f"Tau of {words(measure)} between radiologists"
        note = "Kendall's tau-b. The mean includes the radiologist. Like figure 5 of the GREEN paper."
        tables.append(Table(f"between-{measure}", title, ["", *names], rows, note))
    groups = {
        (measure, name): row
        for measure, found in result.get("raters", {}).items()
        for name, row in {"all": found, **found.get("candidates", {})}.items()
        if "icc_single" in row
    }
    rows = [
        [words(measure), name, value(row["icc_single"]), value(row["icc_average"]), str(row["icc_single"]["n"])]
        for (measure, name), row in groups.items()
    ]
    header = ["measure", "candidates", "one radiologist: ICC(2,1)", "their mean: ICC(2,k)", "n"]
    note = "Intraclass correlation, two-way random effects, absolute agreement; figure S3 of the RadCliQ paper."
    return [*tables, Table("intraclass", "Intraclass correlation of the radiologists", header, rows, note)]


def counts_table(result: Result) -> Table | None:
    """Return the errors of error counts: tables 1, 2 and 4 of GREEN."""
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


def count_categories_table(result: Result) -> Table:
    """Return accuracy, precision and recall of error counts per category."""
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


def answers_table(result: Result) -> Table | None:
    """Return the similarity of the judge's answers with those of the data: tables 3 and 8 of GREEN."""
    found = result.get("answers")
    if not found:
        return None
    note = "Similarity of green's answers with those in the data, mean ± standard deviation; GREEN, tables 3 and 8."
    return Table("answers", "Answers of the judge", ["metric", *found], [["green", *map(_mae, found.values())]], note)


def failure_modes_tables(result: Result) -> list[Table]:
    """Return the errors of the candidates by what chose them: tables S3 and S4 of RadCliQ."""
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


def corrections_tables(result: Result) -> list[Table]:
    """Return the comparison of corrections with those of radiologists: tables 1 to 9 of FineRadScore."""
    found = result.get("corrections")
    if not found:
        return []
    settings = {name: section for name, section in found.items() if name not in ("radiologists", "actions")}
    actions = found["actions"]
    cells = [f"{actions[key]}" for key in ("keep", "delete", "rewrite", "insert", "reports", "reports_with_insertion")]
    header = ["", "lines kept", "deleted", "rewritten", "inserted", "reports", "reports with an insertion"]
    first = Table("correction-actions", "What radiologists did", header, [["radiologists", *cells]], "Figure 6.")
    types = ("keep", "delete", "rewrite", "insert", "no_insert")
    rows = [[words(s), *(value(section["types"][t]) for t in types)] for s, section in settings.items()]
    note = "Share of lines (insert, no insert: reports) with the radiologist's action; tables 1, 4 and 7."
    tables = [first, Table("correction-types", "Kind of correction", ["setting", *map(words, types)], rows, note)]
    parts = list(next(iter(settings.values()))["new_text"])
    rows = [[words(s), *(value(section["new_text"].get(p)) for p in parts)] for s, section in settings.items()]
    note = "All rewritten or inserted text, compared with the radiologist's; tables 2, 5 and 8."
    tables.append(Table("correction-text", "New text", ["setting", *map(words, parts)], rows if parts else [], note))
    keys = ("mae", "exact", "within_one")
    rows = [[words(s), *(value(section["severity"][k]) for k in keys)] for s, section in settings.items()]
    if found["radiologists"]:
        rows.append(["between radiologists", value(found["radiologists"]["severity_mae"]), "", ""])
    header = ["setting", "mean absolute error", "exact", "within one"]
    note = "Highest severity per report, 0 to 4, against the radiologist's; figures 2 and 5."
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


def published_table(result: Result) -> Table:
    """Return published values beside measured ones, and whether they compare."""
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
