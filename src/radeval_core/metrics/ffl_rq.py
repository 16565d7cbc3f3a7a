"""`ffl_rq`: fine-grained findings (FFL F1) and their places on the film (MIOU), averaged to report quality (RQ)."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.errors import InputError
from radeval_core.findings.atlas import Box, atlas_version, check_boxes, standard_atlas
from radeval_core.findings.regions import imagenome_regions
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.ffl import (
    GRANULARITIES,
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
from radeval_core.metrics.base import Array, Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair

if TYPE_CHECKING:
    from radeval_core.annotators.findings import ReportView
    from radeval_core.annotators.region_detector import RegionDetector


SPEC = MetricSpec(
    name="ffl_rq",
    measures="findings with place, side and severity (F1), and overlap of their places",
    version=4,
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
            "one dict per pair: region to [x1, y1, x2, y2], and optionally size to [width, height]; "
            "by default the standard atlas",
        ),
        "images": Option(
            None, list, "one image per pair, path or PIL image; the detector named by checkpoint finds the regions"
        ),
    }

    def prepare(self) -> None:
        self._granularity = self.chosen["granularity"]
        given, images = self.chosen["boxes"], self.chosen["images"]
        if given is not None and images is not None:
            raise InputError("give boxes= or images=, not both: regions are either given or detected")
        if images is not None and not self.source:
            raise InputError("images= needs a detector of regions: name one by checkpoint=HUB_ID_OR_FOLDER")
        if self.source and images is None:
            raise InputError(f"the detector {self.source!r} needs images=, a list with one image per pair")
        self._given = None if given is None else [_given_boxes(b, f"boxes[{i}]") for i, b in enumerate(given)]
        self._images: list[Any] | None = images
        self._pairs: int | None = None  # how many there are, once counted
        self._scored = 0

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
        """True if boxes or images are given: they belong to pairs by order, so the pairs are counted first."""
        return self._per_pair is not None

    def observe(self, pairs: Sequence[Pair]) -> None:
        self._pairs = (self._pairs or 0) + len(pairs)

    @property
    def _per_pair(self) -> tuple[str, int] | None:
        """Return the name and number of the entries given per pair."""
        if self._given is not None:
            return "boxes", len(self._given)
        return ("images", len(self._images)) if self._images is not None else None

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        boxes = self._boxes(len(pairs))
        reports: dict[str, ReportPatterns] = self.annotations(pairs)
        rows, details = [], []
        for pair, regions in zip(pairs, boxes, strict=True):
            one, other = reports[pair.prediction], reports[pair.reference]
            prediction, reference = one.compared_with(other), other.compared_with(one)
            rows.append(self._numbers(_ground(prediction, regions), _ground(reference, regions)))
            if detailed:
                details.append(_detail(prediction, reference, regions))
        values = dict(zip(self.value_names, np.array(rows).T, strict=True))
        # MIOU is the mean over the pairs that have something to ground
        grounded = ~np.isnan(values["miou"])
        columns = [*list(values.values())[:-1], np.where(grounded, values["miou"], 0.0), grounded]
        return PairScores(values, np.column_stack(columns), details if detailed else None)

    def _numbers(self, prediction: list[Grounded], reference: list[Grounded]) -> tuple[float, ...]:
        """Return RQ and the parts of one pair."""
        ours, theirs = [g.pattern for g in prediction], [g.pattern for g in reference]
        f1 = {granularity: agreement(ours, theirs, granularity).f1 for granularity in GRANULARITIES}
        overlap = miou(prediction, reference)
        chosen = f1[self._granularity]
        return report_quality(chosen, overlap), chosen, *f1.values(), overlap

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        means = {key: sums[..., i] / n for i, key in enumerate(self.value_names)}
        total, count = sums[..., -2], sums[..., -1]
        means["miou"] = np.where(count > 0, total / np.maximum(count, 1), math.nan)
        return means

    def _boxes(self, count: int) -> Sequence[Mapping[str, Box]]:
        """Return the boxes of the next `count` pairs."""
        start, self._scored = self._scored, self._scored + count
        if self._per_pair is None:
            return [standard_atlas()] * count
        name, entries = self._per_pair
        pairs = max(self._scored, self._pairs or 0)
        if pairs != entries and (self._pairs is not None or pairs > entries):
            raise InputError(f"{name} must have one entry per pair: got {entries} for {pairs} pairs")
        if self._given is not None:
            return self._given[start : self._scored]
        assert self._images is not None
        return self.detector.detect(self._images[start : self._scored], start)

    def signature_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"granularity": self._granularity, **self.annotator.fields}
        if self._given is not None:
            text = json.dumps(self._given, sort_keys=True)
            return {**fields, "boxes": f"given-{hashlib.sha256(text.encode()).hexdigest()[:8]}"}
        if self._images is None:
            return {**fields, "boxes": f"atlas-{atlas_version()}"}
        return {**fields, "model": self.detector.model_name, "threshold": self.detector.threshold}


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


def _given_boxes(given: Any, where: str) -> dict[str, Box]:
    """Return the checked boxes of one image; an optional `size` entry gives its width and height."""
    size = given.get("size") if isinstance(given, Mapping) else None
    if size is None:
        width = height = None
    elif isinstance(size, Sequence) and len(size) == 2 and all(isinstance(v, (int, float)) and v > 0 for v in size):
        width, height = size
    else:
        raise InputError(f"{where}['size'] must be [width, height] of the image, two numbers above 0")
    boxes = {k: v for k, v in given.items() if k != "size"} if isinstance(given, Mapping) else given
    return check_boxes(boxes, width, height, where)


def _detail(prediction: Placed, reference: Placed, boxes: Mapping[str, Box]) -> dict[str, Any]:
    """Return the patterns of both reports with boxes, precision and recall, and which places were matched."""
    matches = match_places(_ground(prediction, boxes), _ground(reference, boxes))
    levels = {granularity: agreement(prediction, reference, granularity) for granularity in GRANULARITIES}
    return {
        "prediction": _described(prediction, reference, boxes),
        "reference": _described(reference, prediction, boxes),
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
