"""Measure whether FineRadScore corrects reports as radiologists do. Tables 1 to 9, figures 2 and 6 of its paper.

The reference is the candidate corrected by a radiologist. We compare the kind of correction of each line, the rewritten
and inserted text, the highest severity of a report, and whether the corrected report is closer to the reference. All of
this is repeated with the lines of the reference shuffled, and with a paraphrase of the candidate.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from radeval_core import api
from radeval_core.bench.correction_rows import KEEP, CorrectedReport, CorrectionData
from radeval_core.bench.expert_data import ExpertData
from radeval_core.bench.plain import plain
from radeval_core.bench.values import run_metrics, values_of
from radeval_core.corrections.apply import sentence
from radeval_core.corrections.lines import ReportLine, split_lines
from radeval_core.corrections.types import DELETE, INSERT, REWRITE
from radeval_core.errors import InputError
from radeval_core.pairs import Pair
from radeval_core.registry import metrics_behind
from radeval_core.stats.agreement import Array, study_resamples, weighted_mean
from radeval_core.stats.bootstrap import SEED

JUDGE = "fineradscore"
#: metrics that compare new text (table 2), and their values; bertscore only if requested
_SIMILARITY = {"bleu": ("bleu_1", "bleu_2"), "bertscore": ("bertscore",)}


@dataclass(frozen=True)
class _Setting:
    """Readings with the judge's input pairs, and the positions of the annotated lines in each candidate (or None)."""

    readings: list[CorrectedReport]
    pairs: list[Pair]
    places: list[list[tuple[int, int]] | None]


def correction_sections(
    data: CorrectionData, metrics: Sequence[str], configs: Mapping[str, str] | None, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the results per setting (`as_written`, `shuffled`, `paraphrased`), and the radiologists' own numbers.

    Args:
        data: readings.
        metrics: names of metrics or their parts; `fineradscore` corrects, the others measure the gain of its
            corrections, and `bertscore` also compares the new text.
        configs: config per metric, if not the default.
        options: further arguments of `api.score`.
    """
    if JUDGE not in metrics:
        raise InputError(f"the data has line corrections, which only {JUDGE} makes; add it to --metrics")
    configs = configs or {}
    judged = {JUDGE: configs[JUDGE]} if JUDGE in configs else {}
    found: dict[str, Any] = {"radiologists": _between_radiologists(data), "actions": _actions(data)}
    for name, setting in _settings(data).items():
        if setting.readings:
            details = api.score(setting.pairs, [JUDGE], judged, **{**options, "detailed": True}).results[JUDGE].details
            assert details is not None  # because detailed=True
            found[name] = _section(setting, details, metrics, configs, options)
    return found


def _actions(data: CorrectionData) -> dict[str, int]:
    """Count what the radiologists did: lines kept, deleted and rewritten, and reports with an insertion (figure 6)."""
    lines = [line.action for reading in data.readings for line in reading.lines]
    inserted = sum(any(line.action == INSERT for line in reading.lines) for reading in data.readings)
    return {
        **{action: lines.count(action) for action in (KEEP, DELETE, REWRITE, INSERT)},
        "reports": len(data.readings),
        "reports_with_insertion": inserted,
    }


def as_rated(data: CorrectionData) -> ExpertData:
    """Return the reports as rated pairs. Each correction is an error, significant if actionable (severity 2 to 4)."""
    changed = [[line for line in r.lines if line.action != KEEP] for r in data.readings]
    errors = np.array([[len(lines)] for lines in changed], dtype=np.float64)
    significant = np.array([[sum(line.severity > 1 for line in lines)] for lines in changed], dtype=np.float64)
    return ExpertData(
        [r.pair for r in data.readings],
        [r.study for r in data.readings],
        {"errors": errors, "significant_errors": significant},
        provenance=data.provenance,
    )


def _settings(data: CorrectionData) -> dict[str, _Setting]:
    places = [[(x.start, x.end) for x in r.lines if x.action != INSERT] for r in data.readings]
    pairs = [r.pair for r in data.readings]
    shuffled = [Pair(p.prediction, (_shuffled(p),), p.id) for p in pairs]
    reworded = [(r, place) for r, place in zip(data.readings, places, strict=True) if r.paraphrase]
    return {
        "as_written": _Setting(data.readings, pairs, list(places)),
        "shuffled": _Setting(data.readings, shuffled, list(places)),
        "paraphrased": _Setting(
            [r for r, _ in reworded],
            [Pair(r.paraphrase or "", r.pair.references, r.pair.id) for r, _ in reworded],
            # lines of a paraphrase have other positions: match them in order, if their number is the same
            [_in_order(split_lines(r.paraphrase or ""), len(place)) for r, place in reworded],
        ),
    }


def _in_order(lines: Sequence[ReportLine], wanted: int) -> list[tuple[int, int]] | None:
    return [(line.start, line.end) for line in lines] if len(lines) == wanted else None


def _shuffled(pair: Pair) -> str:
    lines = [sentence(line.text) for line in split_lines(pair.reference)]
    random.Random(f"{SEED}/{pair.id}").shuffle(lines)
    return " ".join(lines)


def _section(
    setting: _Setting,
    details: Sequence[Mapping[str, Any]],
    metrics: Sequence[str],
    configs: Mapping[str, str],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    resamples = study_resamples([r.study for r in setting.readings])
    judged = [d["corrections"] for d in details]
    return {
        "reports": len(judged),
        "unread": sum(corrections is None for corrections in judged),
        "types": _types(setting, judged, resamples),
        "new_text": _new_text(setting, judged, resamples, metrics, configs, options),
        "severity": _severity(setting, judged, resamples),
        "gain": _gain(setting, details, resamples, metrics, configs, options),
    }


def _types(setting: _Setting, judged: Sequence[Any], resamples: Array) -> dict[str, Any]:
    """Return the share of lines kept, deleted or rewritten by the radiologist that the judge treats the same (table 1).

    Insertions are compared per report: `insert` if the radiologist inserts a line, else `no_insert`.
    """
    right: dict[str, list[tuple[int, float]]] = {a: [] for a in (KEEP, DELETE, REWRITE, INSERT, "no_insert")}
    for i, (reading, pair, places) in enumerate(zip(setting.readings, setting.pairs, setting.places, strict=True)):
        if judged[i] is None:
            continue
        inserts = any(line.action == INSERT for line in reading.lines)
        does = any(c["action"] == INSERT for c in judged[i])
        right[INSERT if inserts else "no_insert"].append((i, float(inserts == does)))
        lines = split_lines(pair.prediction)
        kept = [line for line in reading.lines if line.action != INSERT]
        for line, place in zip(kept, places or (), strict=False):
            right[line.action].append((i, float(judge_action(lines, judged[i], place) == line.action)))
    return {
        action: plain(weighted_mean(np.array([r for _, r in rows]), resamples[:, [i for i, _ in rows]]))
        for action, rows in right.items()
    }


def judge_action(lines: Sequence[ReportLine], corrections: Sequence[Mapping[str, Any]], place: tuple[int, int]) -> str:
    """Return the judge's action on the line that overlaps a position most: keep, delete or rewrite."""
    overlap = [min(line.end, place[1]) - max(line.start, place[0]) for line in lines]
    number = lines[int(np.argmax(overlap))].number if lines and max(overlap) > 0 else None
    return next((str(c["action"]) for c in corrections if number is not None and c["line"] == number), KEEP)


def _new_text(
    setting: _Setting,
    judged: Sequence[Any],
    resamples: Array,
    metrics: Sequence[str],
    configs: Mapping[str, str],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Compare the judge's new text with the radiologist's, in reports where the radiologist wrote some (table 2)."""
    rows = [i for i, r in enumerate(setting.readings) if r.new_text.strip() and judged[i] is not None]
    if not rows:
        return {}
    texts = [" ".join(c["after"] for c in judged[i] if c["action"] != DELETE) for i in rows]
    pairs = [Pair(text, (setting.readings[i].new_text,), i) for i, text in zip(rows, texts, strict=True)]
    chosen = {m: parts for m, parts in _SIMILARITY.items() if m == "bleu" or m in metrics}
    results = api.score(pairs, list(chosen), {m: configs[m] for m in chosen if m in configs}, **options).results
    return {
        part: plain(weighted_mean(results[metric].values[part], resamples[:, rows]))
        for metric, parts in chosen.items()
        for part in parts
    }


def _severity(setting: _Setting, judged: Sequence[Any], resamples: Array) -> dict[str, Any]:
    """Compare the highest severity per report: the judge's minus the radiologist's (figure 2)."""
    gaps = np.array(
        [
            np.nan if corrections is None else max((c["severity"] for c in corrections), default=0) - reading.severity
            for reading, corrections in zip(setting.readings, judged, strict=True)
        ],
        dtype=np.float64,
    )
    known = np.where(np.isnan(gaps), np.nan, 1.0)
    return {
        "mae": plain(weighted_mean(np.abs(gaps), resamples)),
        "exact": plain(weighted_mean(known * (gaps == 0), resamples)),
        "within_one": plain(weighted_mean(known * (np.abs(gaps) <= 1), resamples)),
        "differences": {str(gap): int((gaps == gap).sum()) for gap in range(-4, 5)},
    }


def _gain(
    setting: _Setting,
    details: Sequence[Mapping[str, Any]],
    resamples: Array,
    metrics: Sequence[str],
    configs: Mapping[str, str],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the scores before and after the judge's corrections; a positive `gain` is better (table 3)."""
    others = [m for m in metrics if m != JUDGE]
    rows = [i for i, d in enumerate(details) if d["corrected"] is not None]
    if not others or not rows:
        return {}
    before = [setting.pairs[i] for i in rows]
    after = [Pair(str(details[i]["corrected"]), setting.pairs[i].references, i) for i in rows]
    chosen = {m: configs[m] for m in metrics_behind(others) if m in configs}
    base, corrected = (values_of(run_metrics(pairs, others, chosen, options), others) for pairs in (before, after))
    found = {}
    for m in others:
        weights = resamples[:, rows]
        found[m] = {
            "base": plain(weighted_mean(base[m].scores, weights)),
            "corrected": plain(weighted_mean(corrected[m].scores, weights)),
            "gain": plain(weighted_mean(corrected[m].quality - base[m].quality, weights)),
        }
    return found


def _between_radiologists(data: CorrectionData) -> dict[str, Any] | None:
    """Return the mean difference in severity between radiologists who read the same report; None without any."""
    reports: dict[Any, list[int]] = {}
    for i, reading in enumerate(data.readings):
        reports.setdefault(reading.report, []).append(i)
    pairs = [pair for rows in reports.values() for pair in combinations(rows, 2)]
    if not pairs:
        return None
    gaps = np.array([abs(data.readings[i].severity - data.readings[j].severity) for i, j in pairs], dtype=np.float64)
    resamples = study_resamples([data.readings[i].study for i, _ in pairs])
    return {"severity_mae": plain(weighted_mean(gaps, resamples)), "pairs": len(pairs)}
