"""Find what limits the agreement of the judges with hand labels of chest CT reports.

    python tools/ct_agreement_ceiling.py train.csv                     # CT-RATE: AccessionNo, report_text, 18 labels
    python tools/ct_agreement_ceiling.py train.csv --radpref dev.json  # other starting credits, beside RadPref

It pairs every report with the most similar other one and with an arbitrary one. The target is the number of labels that
the two reports differ in. It prints Kendall's tau (higher is better) on all pairs and on two halves, split by a hash of
the reference's id:

- of the formulas, with the hand labels themselves as findings: what they give if every label is read right. It is no
  strict upper bound, because the judges also match findings that belong to no label;
- of the labels and of all findings that the parser reads;
- of green.weighted with other starting credits, and with --radpref its tau with the ratings and errors of radiologists.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cross_validate_judges import JUDGES, Array, Weighed, tau
from radeval_core import load
from radeval_core.data.radpref import DATASET
from radeval_core.errors import InputError
from radeval_core.findings.compare import Comparison, compare
from radeval_core.findings.differences import WEIGHT
from radeval_core.findings.parser import parse
from radeval_core.findings.types import ParsedReport
from radeval_core.findings.views.ctrate import ctrate_evidence, ctrate_names
from radeval_core.functional.crimson import FALSE, MISSING, crimson
from radeval_core.functional.green import HALVING, ON_TOPIC, green, weighted_green

#: what the judges are compared with
_TARGET = "number of differing labels"
#: starting credits of green.weighted to try
CREDITS = (0.25, ON_TOPIC, 1.0, 2.0, 3.0)


@dataclass(frozen=True)
class Labelled:
    """Reports with hand labels.

    Attributes:
        ids: one per report.
        texts: the reports.
        labels: one row per report, one column per label.
    """

    ids: list[str]
    texts: list[str]
    labels: NDArray[np.bool_]


def read(path: Path) -> Labelled:
    """Read the CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    needed = ("AccessionNo", "report_text", *ctrate_names())
    if len(rows) < 2:
        raise InputError(f"{path.name}: needs at least two reports, has {len(rows)}")
    if missing := [name for name in needed if name not in rows[0]]:
        raise InputError(
            f"{path.name}: no column {missing[0]!r}; needs AccessionNo, report_text and CT-RATE's 18 labels"
        )
    labels = np.array([[row[name] == "1" for name in ctrate_names()] for row in rows])
    return Labelled([row["AccessionNo"] for row in rows], [row["report_text"] for row in rows], labels)


def make_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return (reference, candidate): for every report the most similar other one, and an arbitrary one."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # slow to import

    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    likeness = (vectors @ vectors.T).toarray()
    np.fill_diagonal(likeness, -1)
    found = []
    for i in range(len(texts)):
        others = (int(likeness[i].argmax()), (i * 7919 + 13) % len(texts))
        found += [(i, j) for j in others if i != j]
    return found


def of_labels(theirs: NDArray[np.bool_], ours: NDArray[np.bool_], weights: Sequence[float]) -> dict[str, Array]:
    """Return what each formula gives if the labels are the findings.

    Args:
        theirs: labels of the references.
        ours: labels of the candidates.
        weights: the clinical weight of each label.
    """
    found: dict[str, list[float]] = {}
    weighed = np.array(weights)
    for reference, candidate in zip(theirs, ours, strict=True):
        both, wrong = reference & candidate, reference ^ candidate
        values = {
            _TARGET: -float(wrong.sum()),
            "green": green(int(both.sum()), int(wrong.sum())),
            "green.weighted, equal weights": weighted_green([1.0] * both.sum(), [1.0] * wrong.sum()),
            "green.weighted, clinical weights": weighted_green(weighed[both].tolist(), weighed[wrong].tolist()),
            "crimson, equal weights": crimson(_evaluation(reference, candidate)).score,
        }
        for name, value in values.items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def _evaluation(reference: NDArray[np.bool_], candidate: NDArray[np.bool_]) -> dict[str, object]:
    """Return labels in the form of a judge's answer for CRIMSON; every finding has the level `actionable`."""
    level = {"clinical_significance": "actionable_not_urgent"}
    return {
        "reference_findings": [{"id": f"R{i}", **level} for i in np.flatnonzero(reference)],
        "predicted_findings": [{"id": f"P{i}", **level} for i in np.flatnonzero(candidate)],
        "matched_findings": [{"ref_id": f"R{i}", "pred_id": f"P{i}"} for i in np.flatnonzero(reference & candidate)],
        "errors": {
            FALSE: [f"P{i}" for i in np.flatnonzero(candidate & ~reference)],
            MISSING: [f"R{i}" for i in np.flatnonzero(reference & ~candidate)],
        },
    }


def clinical_weights(reports: Sequence[ParsedReport]) -> list[float]:
    """Return the median weight of the findings behind each label in these reports."""
    weights: dict[str, list[float]] = {name: [] for name in ctrate_names()}
    for report in reports:
        for name, findings in ctrate_evidence(report).items():
            weights[name] += [WEIGHT[finding.significance] for finding in findings]
    return [float(np.median(values)) if values else WEIGHT["actionable"] for values in weights.values()]


def unlabelled(report: ParsedReport) -> frozenset[str]:
    """Return the names of the findings that a report states and that belong to no label."""
    behind = {finding.finding for findings in ctrate_evidence(report).values() for finding in findings}
    return frozenset(f.finding for f in (*report.stated, *report.open) if f.polarity != "absent") - behind


def measure(data: Labelled, pairs: Sequence[tuple[int, int]]) -> tuple[dict[str, Array], dict[str, Array], Weighed]:
    """Return the values with hand labels, the values of what the parser reads, and the comparisons."""
    reports = [parse(text) for text in tqdm(data.texts, desc="reading", unit=" reports")]
    first, second = (list(part) for part in zip(*pairs, strict=True))
    weights = clinical_weights(reports)
    by_hand = of_labels(data.labels[first], data.labels[second], weights)
    stated = np.array([[bool(found) for found in ctrate_evidence(report).values()] for report in reports])
    others = [unlabelled(report) for report in reports]
    noise = -np.array([float(len(others[i] ^ others[j])) for i, j in pairs])
    by_hand[f"{_TARGET} and other findings"] = by_hand[_TARGET] + noise
    comparisons = [compare(reports[i], reports[j]) for i, j in tqdm(pairs, desc="comparing", unit=" pairs")]
    of_read = of_labels(stated[first], stated[second], weights)
    as_read = {name if name == _TARGET else f"{name}, labels": values for name, values in of_read.items()}
    as_read |= _judged([data.texts[j] for j in second], [data.texts[i] for i in first])
    as_read["green.error_count, further places as one"] = -np.array([_errors_by_finding(c) for c in comparisons])
    return by_hand, as_read, Weighed(comparisons)


def _judged(predictions: list[str], references: list[str]) -> dict[str, Array]:
    """Return the scores of the judges, of all findings, higher is better."""
    modules = {module for module, _, _ in JUDGES.values()}
    found = {m: load(m).compute(predictions, references) for m in tqdm(modules, desc="scoring", unit=" metrics")}
    return {
        f"{name}, all findings": sign * np.array(found[module][key]) for name, (module, key, sign) in JUDGES.items()
    }


def _errors_by_finding(comparison: Comparison) -> float:
    """Return the number of errors, with all further places of a finding that both reports state as one."""
    shared = {claim.finding for pair in comparison.matched for claim in pair}
    errors: set[object] = set()
    for number, error in enumerate(comparison.differences):
        claim = error.candidate if error.reference is None else None if error.candidate else error.reference
        further = claim is not None and claim.finding in shared
        errors.add((error.category, claim.finding) if further and claim else number)
    return float(len(errors))


def print_credits(weighed: Weighed, target: Array, radpref: Path | None) -> None:
    """Print green.weighted with other starting credits."""
    print(f"\n{'starting credit':<48}{'CT labels':>10}" + (f"{'rating':>10}{'errors':>10}" if radpref else ""))
    rated, ratings, errors = _rated(radpref) if radpref else (None, None, None)
    for credit in CREDITS:
        constants = {"on_topic": credit, "halving": float(HALVING)}
        cells = [tau(weighed.scores(constants), target)]
        if rated is not None:
            scores = rated.scores(constants)
            cells += [tau(scores, ratings), tau(scores, errors)]
        shipped = " (as shipped)" if credit == ON_TOPIC else ""
        print(f"{f'green.weighted, {credit}{shipped}':<48}" + "".join(f"{cell:>10.3f}" for cell in cells))


def _rated(path: Path) -> tuple[Weighed, Array, Array]:
    bench = DATASET.configs["cases"].bench
    assert bench is not None
    rows = [row for case in DATASET.read(path)["cases"]["test"] for row in bench(case)]
    weighed = Weighed([compare(parse(row["reference"]), parse(row["prediction"])) for row in rows])
    means = {key: np.array([np.mean(row["expert"][key]) for row in rows]) for key in ("rating", "errors")}
    return weighed, means["rating"], -means["errors"]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="CT-RATE's CSV file with hand labels")
    parser.add_argument("--radpref", type=Path, help="RadPref's JSON file")
    options = parser.parse_args()
    try:
        data = read(options.data)
    except OSError as error:
        parser.error(f"cannot read {options.data}: {error.strerror}")
    except InputError as error:
        parser.error(str(error))
    pairs = make_pairs(data.texts)
    by_hand, as_read, weighed = measure(data, pairs)
    target = by_hand[_TARGET]
    half = np.array([hashlib.sha256(data.ids[i].encode()).digest()[-1] % 2 == 0 for i, _ in pairs])
    alone = np.mean([not (data.labels[i] & data.labels[j]).any() for i, j in pairs])
    print(f"{len(pairs)} pairs; in {alone:.0%} no label is in both reports")
    for title, values in (("with the hand labels as findings", by_hand), ("as read by the parser", as_read)):
        print(f"\n{title:<48}{'all':>10}{'half A':>10}{'half B':>10}")
        for name, scores in values.items():
            scored = ~np.isnan(scores)
            taus = [tau(scores[part & scored], target[part & scored]) for part in (scored, half, ~half)]
            print(f"{name:<48}" + "".join(f"{value:>10.3f}" for value in taus))
    print_credits(weighed, target, options.radpref)


if __name__ == "__main__":
    main()
