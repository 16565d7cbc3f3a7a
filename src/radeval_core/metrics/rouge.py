"""`rouge`: rouge-score's ROUGE-1, ROUGE-2 and ROUGE-L, as F1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import ClassVar

import numpy as np
from nltk.stem import porter
from rouge_score.rouge_scorer import RougeScorer as GoogleRouge
from rouge_score.tokenize import tokenize
from rouge_score.tokenizers import DefaultTokenizer, Tokenizer

from radeval_core.functional.rouge import lcs_precision_recall_f1
from radeval_core.metrics.base import Option, PairScores, Scorer
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair

#: stems to remember per scorer: more than the words of radiology reports
_STEMS = 65_536
KINDS = ("rouge1", "rouge2", "rougeL")
#: tokens of a report that ROUGE-L compares: its time grows with the square of them. No report is near this long.
LCS_TOKENS = 50_000

SPEC = MetricSpec(
    name="rouge",
    measures="n-gram and longest-common-subsequence overlap (F1)",
    version=2,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 0.0, "no word can match"),
    multi_reference=True,
    corpus_headline=False,
    two_pass=False,
    parts={kind: Part(True, f"F1 of {kind}") for kind in KINDS},
    configs=(Config("embedded", "rouge-score, no model"),),
    takes_checkpoint=False,
    backends=(),
    citation="""@inproceedings{lin2004rouge,
  title={ROUGE: A Package for Automatic Evaluation of Summaries},
  author={Lin, Chin-Yew}, booktitle={Text Summarization Branches Out}, year={2004}
}""",
    urls=("https://aclanthology.org/W04-1013", "https://github.com/google-research/google-research/tree/master/rouge"),
)


class _StemTokenizer(Tokenizer):
    """Splits a text as rouge-score does and stems each word once: reports repeat their words, and stemming is slow."""

    def __init__(self) -> None:
        self.stem = lru_cache(maxsize=_STEMS)(porter.PorterStemmer().stem)

    def tokenize(self, text: str) -> list[str]:
        words: list[str] = tokenize(text, self)
        return words


class RougeScorer(Scorer):
    """Computes F1 of each kind; with several references, the best of each kind."""

    spec = SPEC
    options: ClassVar = {"stemmer": Option(False, bool, "compare Porter stems instead of words")}

    def prepare(self) -> None:
        self._tokenizer: Tokenizer = _StemTokenizer() if self.chosen["stemmer"] else DefaultTokenizer()
        self._ngrams = GoogleRouge(["rouge1", "rouge2"], tokenizer=self._tokenizer)

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        scored = {
            key: self._score_texts(*key) for key in dict.fromkeys((pair.prediction, pair.references) for pair in pairs)
        }
        found = [scored[pair.prediction, pair.references] for pair in pairs]
        values = {kind: np.array([f[kind][2] for f in found]) for kind in KINDS}
        details = [_detail(f) for f in found] if detailed else None
        return PairScores({"rouge": values["rougeL"], **values}, details=details)

    def _score_texts(self, prediction: str, references: tuple[str, ...]) -> dict[str, Sequence[float]]:
        """Return precision, recall and F1 of each kind; for ROUGE-L also whether a report was cut."""
        ngrams = self._ngrams.score_multi(list(references), prediction)
        words, *others = map(self._tokenizer.tokenize, (prediction, *references))
        longest = [(*lcs_precision_recall_f1(words[:LCS_TOKENS], other[:LCS_TOKENS]), other) for other in others]
        precision, recall, f1, best = max(longest, key=lambda values: values[2])
        return {**ngrams, "rougeL": (precision, recall, f1, max(len(words), len(best)) > LCS_TOKENS)}

    def signature_fields(self) -> dict[str, object]:
        stemmer = bool(self.chosen["stemmer"])
        return {"stemmer": stemmer, "lcs_tokens": LCS_TOKENS, "rouge_score": version("rouge-score")}


def _detail(found: dict[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Return precision and recall of each kind, and whether ROUGE-L read the whole reports."""
    read = {kind: {"precision": found[kind][0], "recall": found[kind][1]} for kind in KINDS}
    return {**read, "rougeL": {**read["rougeL"], "truncated": bool(found["rougeL"][3])}}


SCORER = RougeScorer
