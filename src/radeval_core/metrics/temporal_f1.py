"""`temporal_f1`: agreement of two reports on change: by words as in RadEval, and finding by finding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from radeval_core.findings.changes import ChangePair, align_changes
from radeval_core.findings.types import ParsedReport
from radeval_core.functional.label_f1 import f1
from radeval_core.functional.temporal_f1 import change_words, set_f1
from radeval_core.metrics.base import PairScores, Scorer
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair

SPEC = MetricSpec(
    name="temporal_f1",
    measures="words of change (F1 of sets), and change finding by finding",
    version=2,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 1.0, "an empty report states no change: 1 if the other states none either", True),
    multi_reference=True,
    corpus_headline=False,
    two_pass=False,
    parts={"aligned": Part(True, "F1 of changes that belong to the same finding")},
    configs=(
        Config("embedded", "change words, and the changes our findings parser reads; no model"),
        Config("words", "change words alone, as RadEval counts them: reads every text, has no `aligned`"),
    ),
    takes_checkpoint=False,
    backends=(),
    citation="""@inproceedings{xu2025radeval,
  title={RadEval: A framework for radiology text evaluation},
  author={Xu, Justin and Zhang, Xi and Abderezaei, Javid and Bauml, Julie and Boodoo, Roger and Haghighi, Fatemeh and
    Ganjizadeh, Ali and Brattain, Eric and Van Veen, Dave and Meng, Zaiqiao and Eyre, David and Delbrouck,
    Jean-Benoit},
  booktitle={EMNLP: System Demonstrations}, year={2025}
}""",
    urls=("https://arxiv.org/abs/2509.18030", "https://github.com/jbdel/RadEval"),
)


class TemporalScorer(Scorer):
    """Compares the change words of both reports, and the changes of their findings."""

    spec = SPEC

    @property
    def reads_findings(self) -> bool:
        return self.config.name == "embedded"

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        words = [_words(pair) for pair in pairs]
        values = {"temporal_f1": np.array([set_f1(*both) for both in words]), "aligned": np.full(len(pairs), math.nan)}
        aligned: list[list[ChangePair]] = [[] for _ in pairs]
        if self.reads_findings:
            reports = self.resources.reports([text for pair in pairs for text in (pair.prediction, *pair.references)])
            aligned = [_align(pair, reports) for pair in pairs]
            values["aligned"] = np.array([_f1(changes) for changes in aligned])
        details = [_detail(*both, changes) for both, changes in zip(words, aligned, strict=True)] if detailed else None
        return PairScores(values, details=details)

    def signature_fields(self) -> dict[str, object]:
        return {"lexicon": self.resources.reader.lexicon} if self.reads_findings else {}


def _words(pair: Pair) -> tuple[frozenset[str], frozenset[str]]:
    """Return the change words of the prediction, and of all references together."""
    return change_words(pair.prediction), frozenset().union(*map(change_words, pair.references))


def _align(pair: Pair, reports: Mapping[str, ParsedReport]) -> list[ChangePair]:
    """Return the changes of a pair; of several references, the one that agrees best counts."""
    candidate = reports[pair.prediction]
    return max((align_changes(reports[text], candidate) for text in pair.references), key=_f1)


def _f1(changes: Sequence[ChangePair]) -> float:
    """Return the F1 of the changes; a change other than the reference's is both added and missing."""
    same = sum(change.same for change in changes)
    extra = sum(change.candidate is not None for change in changes) - same
    missed = sum(change.reference is not None for change in changes) - same
    return float(f1(np.array(same), np.array(extra), np.array(missed), none=1.0))


def _detail(prediction: frozenset[str], reference: frozenset[str], changes: Sequence[ChangePair]) -> dict[str, Any]:
    """Return the change words by where they occur, and each change with its counterpart."""
    return {
        "common": sorted(prediction & reference),
        "added": sorted(prediction - reference),
        "missing": sorted(reference - prediction),
        "changes": [_change(pair) for pair in changes],
    }


def _change(pair: ChangePair) -> dict[str, Any]:
    claim = pair.reference or pair.candidate
    assert claim is not None
    return {
        "finding": claim.finding,
        "laterality": claim.laterality,
        "reference": pair.reference and pair.reference.change,
        "prediction": pair.candidate and pair.candidate.change,
        "counted": pair.counted,
    }


SCORER = TemporalScorer
