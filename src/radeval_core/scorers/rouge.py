"""`rouge`: rouge-score's ROUGE-1, ROUGE-2 and ROUGE-L, as F1."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import ClassVar

import numpy as np
from rouge_score.rouge_scorer import RougeScorer as GoogleRouge

from radeval_core.pairs import Pair
from radeval_core.scorer import Option, PairScores, Scorer
from radeval_core.spec import Config, EmptyRule, MetricSpec

KINDS = ("rouge1", "rouge2", "rougeL")

SPEC = MetricSpec(
    name="rouge",
    measures="n-gram and longest-common-subsequence overlap (F1)",
    version=1,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 0.0, "no word can match"),
    multi_reference=True,
    corpus_headline=False,
    two_pass=False,
    parts=KINDS,
    configs=(Config("embedded", "rouge-score, no model"),),
    takes_checkpoint=False,
    citation="""@inproceedings{lin2004rouge,
  title={ROUGE: A Package for Automatic Evaluation of Summaries},
  author={Lin, Chin-Yew}, booktitle={Text Summarization Branches Out}, year={2004}
}""",
    urls=("https://aclanthology.org/W04-1013", "https://github.com/google-research/google-research/tree/master/rouge"),
)


class RougeScorer(Scorer):
    """F1 of each kind; with several references, the best for each kind."""

    spec = SPEC
    options: ClassVar = {"stemmer": Option(False, bool)}

    def prepare(self) -> None:
        self._rouge = GoogleRouge(list(KINDS), use_stemmer=self.chosen["stemmer"])

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        distinct = {(pair.prediction, pair.references) for pair in pairs}
        scored = {(p, refs): self._rouge.score_multi(list(refs), p) for p, refs in distinct}
        found = [scored[pair.prediction, pair.references] for pair in pairs]
        values = {kind: np.array([f[kind].fmeasure for f in found]) for kind in KINDS}
        details = [{kind: {"precision": f[kind].precision, "recall": f[kind].recall} for kind in KINDS} for f in found]
        return PairScores({"rouge": values["rougeL"], **values}, details=details if detailed else None)

    def signature_fields(self) -> dict[str, object]:
        return {"stemmer": bool(self.chosen["stemmer"]), "rouge_score": version("rouge-score")}


SCORER = RougeScorer
