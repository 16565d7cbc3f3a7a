"""`new_metric`: the share of words that two reports have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from radeval_core.functional.new_metric import jaccard, words
from radeval_core.metrics.base import Option, PairScores, Scorer
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec
from radeval_core.pairs import Pair

SPEC = MetricSpec(
    name="new_metric",
    measures="share of common words (Jaccard index)",
    version=1,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(prediction=0.0, reference=0.0, both=0.0, why="no word can match"),
    multi_reference=True,
    corpus_headline=False,
    two_pass=False,
    parts={},
    configs=(Config("embedded", "word sets, no model"),),
    takes_checkpoint=False,
    backends=(),
    citation="""@article{jaccard1901etude,
  title={{\\'E}tude comparative de la distribution florale dans une portion des {A}lpes et du {J}ura},
  author={Jaccard, Paul}, journal={Bulletin de la Soci{\\'e}t{\\'e} Vaudoise des Sciences Naturelles},
  volume={37}, pages={547--579}, year={1901}
}""",
    urls=("https://doi.org/10.5169/seals-266450",),
)


class NewMetricScorer(Scorer):
    """Score the overlap with the reference; with several references, the best one counts."""

    spec = SPEC
    options: ClassVar = {"punctuation": Option(True, bool, "count punctuation marks as words")}

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        scores = [max(jaccard(self._words(p.prediction), self._words(r)) for r in p.references) for p in pairs]
        details = [self._detail(p) for p in pairs] if detailed else None
        return PairScores({"new_metric": np.array(scores)}, details=details)

    def signature_fields(self) -> dict[str, object]:
        return {"tok": "words-lc", "punctuation": self.chosen["punctuation"]}

    def _words(self, text: str) -> set[str]:
        return words(text, self.chosen["punctuation"])

    def _detail(self, pair: Pair) -> dict[str, list[str]]:
        mine, theirs = self._words(pair.prediction), self._words(pair.reference)
        return {"common": sorted(mine & theirs), "added": sorted(mine - theirs), "missing": sorted(theirs - mine)}


SCORER = NewMetricScorer
