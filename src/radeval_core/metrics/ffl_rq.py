"""`ffl_rq`: fine-grained findings (FFL F1) and their places on the film (MIOU), averaged to report quality (RQ)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.findings.atlas import Box, PairBoxes
from radeval_core.findings.regions import imagenome_regions
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.ffl import (
    GRANULARITIES,
    Agreement,
    Denial,
    Grounded,
    Placed,
    ReportPatterns,
    agreement,
    match_places,
    miou,
    pattern_of,
    prefixes,
    report_quality,
)
from radeval_core.metrics._annotated import AnnotatedScorer
from radeval_core.metrics._film_boxes import FilmBoxes
from radeval_core.metrics.base import Array, Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair

if TYPE_CHECKING:
    from radeval_core.annotators.findings import ReportView
    from radeval_core.annotators.region_detector import RegionDetector

#: averages over pairs in the summary (table 1), at the chosen granularity and at each
AVERAGES = tuple(
    f"ffl_{what}{level}" for level in ("", *(f"_{g}" for g in GRANULARITIES)) for what in ("precision", "recall")
)

SPEC = MetricSpec(
    name="ffl_rq",
    measures="findings with place, side and severity (F1), and overlap of their places",
    version=8,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "a report without findings agrees only with another without findings"),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={
        "ffl_f1": Part(True, "F1 of the findings' prefixes"),
        **{f"ffl_f1_{granularity}": Part(True, f"F1 of findings: {granularity}") for granularity in GRANULARITIES},
        "miou": Part(True, "overlap of the findings' boxes"),
    },
    configs=(Config("embedded", "our findings parser and standard atlas, no model"),),
    takes_checkpoint=True,
    backends=(),
    citation="""@article{mahmood2024evaluating,
  title={Evaluating Automated Radiology Report Quality Through Fine-Grained Phrasal Grounding of Clinical Findings},
  author={Mahmood, Razi and Yan, Pingkun and Machado Reyes, Diego and Wang, Ge and Kalra, Mannudeep K. and
    Kaviani, Parisa and Wu, Joy T. and Syeda-Mahmood, Tanveer},
  journal={arXiv preprint arXiv:2412.01031}, year={2024}
}""",
    urls=("https://arxiv.org/abs/2412.01031",),
)


class FflRqScorer(AnnotatedScorer):
    """Reads the patterns of each distinct report once, then computes F1 and MIOU of each pair."""

    spec = SPEC
    options: ClassVar = {
        "granularity": Option(
            "all",
            str,
            "what the F1 inside RQ compares: finding and presence (core), also place and side (anatomy), "
            "also severity (all)",
            GRANULARITIES,
        ),
        "boxes": Option(
            None,
            list,
            "one dict per pair, or one for prediction and one for reference: region to [x1, y1, x2, y2], optionally "
            "size to [width, height]; else the column boxes, else the standard atlas",
        ),
        "boxes_file": Option(
            None,
            str,
            "table with columns id and boxes: the boxes of the pairs with these ids, e.g. from Chest ImaGenome",
        ),
        "images": Option(
            None, list, "one image per pair, path or PIL image; the detector named by checkpoint finds the regions"
        ),
    }
    whole_run_options = ("boxes", "boxes_file", "images")

    def prepare(self) -> None:
        self._granularity = self.chosen["granularity"]
        self._film = FilmBoxes(self.chosen["boxes"], self.chosen["images"], self.chosen["boxes_file"], self.source)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._film.columns

    @property
    def annotator(self) -> ReportView[ReportPatterns]:
        return self.resources.view("ffl", read_patterns, lambda read: 400 * (len(read.stated) + len(read.implied)))

    @property
    def reads_findings(self) -> bool:
        return True

    @property
    def detector(self) -> RegionDetector:
        with self.needs_models():
            from radeval_core.annotators.region_detector import THRESHOLD, region_detector
        return region_detector(self.source, self.resources.device, THRESHOLD, self.resources.progress)

    def warm_up(self) -> None:
        super().warm_up()
        if self.source:
            _ = self.detector

    @property
    def two_pass(self) -> bool:
        """True if boxes or images belong to pairs by order: the pairs are counted first."""
        return self._film.by_order

    def observe(self, pairs: Sequence[Pair]) -> None:
        self._film.count(len(pairs))

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        boxes = self._film.next(pairs, lambda images, first: self.detector.detect(images, first))
        reports: dict[str, ReportPatterns] = self.annotations(pairs)
        rows, means, details = [], [], []
        for pair, regions in zip(pairs, boxes, strict=True):
            one, other = reports[pair.prediction], reports[pair.reference]
            prediction, reference = one.compared_with(other), other.compared_with(one)
            levels = {g: agreement(prediction, reference, g) for g in GRANULARITIES}
            places = _ground(prediction, regions.prediction), _ground(reference, regions.reference)
            rows.append(self._numbers(levels, miou(*places)))
            means.append([value for level in (levels[self._granularity], *levels.values()) for value in level[:2]])
            if detailed:
                details.append(_detail(prediction, reference, regions, levels))
        values = dict(zip(self.value_names, np.array(rows).T, strict=True))
        # MIOU is the mean over the pairs that have something to ground
        grounded = ~np.isnan(values["miou"])
        columns = [*list(values.values())[:-1], np.where(grounded, values["miou"], 0.0), grounded, np.array(means)]
        return PairScores(values, np.column_stack(columns), details if detailed else None)

    def _numbers(self, levels: Mapping[str, Agreement], overlap: float) -> tuple[float, ...]:
        """Return RQ and the parts of one pair."""
        chosen = levels[self._granularity].f1
        return report_quality(chosen, overlap), chosen, *(level.f1 for level in levels.values()), overlap

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        means = {key: sums[..., i] / n for i, key in enumerate(self.value_names)}
        first = len(self.value_names)
        count = sums[..., first]
        means["miou"] = np.where(count > 0, sums[..., first - 1] / np.maximum(count, 1), math.nan)
        return means | {key: sums[..., first + 1 + i] / n for i, key in enumerate(AVERAGES)}

    def signature_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"granularity": self._granularity, **self.annotator.fields}
        if self.source:
            return {**fields, "model": self.detector.model_name, "threshold": self.detector.threshold}
        return {**fields, "boxes": self._film.field}


def read_patterns(report: ParsedReport) -> ReportPatterns:
    """Return the patterns of a report. What it both states and implies counts as stated."""
    findings, lexicon = report.findings, report.lexicon
    stated: Placed = {}
    normal: dict[tuple[int, int], set[str]] = {}
    for finding in findings:
        if not finding.implied:
            stated[pattern_of(finding)] = imagenome_regions(finding, lexicon)
            if finding.kind == "normality":
                normal.setdefault((finding.start, finding.end), set()).add(finding.finding)
    names = frozenset(pattern.core for pattern in stated)
    implied: Placed = {}
    denied: dict[str, Denial] = {}
    for finding in findings:
        name = finding.finding
        if finding.implied and name not in names:
            regions = implied[pattern_of(finding)] = imagenome_regions(finding, lexicon)
            if finding.polarity == "absent":
                known = denied.get(name, Denial(frozenset(), frozenset()))
                by = normal.get((finding.start, finding.end), ())
                denied[name] = Denial(known.by.union(by), known.regions.union(regions))
    return ReportPatterns(stated, names, implied, denied)


def _ground(patterns: Placed, boxes: Mapping[str, Box]) -> list[Grounded]:
    """Return the patterns, each with the boxes of its regions that have one."""
    return [Grounded(p, tuple(boxes[name] for name in regions if name in boxes)) for p, regions in patterns.items()]


def _detail(prediction: Placed, reference: Placed, boxes: PairBoxes, levels: Mapping[str, Agreement]) -> dict[str, Any]:
    """Return the patterns of both reports with boxes, precision and recall, and which places were matched."""
    matches = match_places(_ground(prediction, boxes.prediction), _ground(reference, boxes.reference))
    return {
        "prediction": _described(prediction, reference, boxes.prediction),
        "reference": _described(reference, prediction, boxes.reference),
        "matches": [match._asdict() for match in matches],
        "precision": {granularity: level.precision for granularity, level in levels.items()},
        "recall": {granularity: level.recall for granularity, level in levels.items()},
    }


def _described(patterns: Placed, others: Placed, boxes: Mapping[str, Box]) -> list[dict[str, Any]]:
    """Return each pattern as plain values: fields, granularities at which the other report has it, boxes."""
    there = {g: {prefixes(p)[g] for p in others} for g in GRANULARITIES}
    return [
        {
            "pattern": str(p),
            **asdict(p),
            "anatomy": list(p.anatomy),
            "matched": [g for g in GRANULARITIES if prefixes(p)[g] in there[g]],
            "boxes": {name: list(boxes[name]) for name in regions if name in boxes},
        }
        for p, regions in patterns.items()
    ]


SCORER = FflRqScorer
