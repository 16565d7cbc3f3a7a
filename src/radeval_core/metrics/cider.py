"""`cider`: CIDEr-D, with document frequencies from the references or from a corpus the user gives."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from radeval_core.errors import InputError
from radeval_core.functional.cider import DocumentFrequencies, cider_d, ngram_vectors
from radeval_core.metrics.base import Option, PairScores, Scorer
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec
from radeval_core.pairs import Pair, require_string

log = logging.getLogger(__name__)

SPEC = MetricSpec(
    name="cider",
    measures="tf-idf weighted n-gram agreement (CIDEr-D)",
    version=1,
    higher_is_better=True,
    bounds=(0.0, 10.0),
    symmetric=False,
    identity=10.0,  # of a report with a rare n-gram of each length; a shorter one gets `functional.cider.self_score`
    empty=EmptyRule(0.0, 0.0, 0.0, "no n-gram can match"),
    multi_reference=True,
    corpus_headline=False,
    two_pass=True,
    parts={},
    configs=(Config("embedded", "our CIDEr-D, no model"),),
    takes_checkpoint=False,
    backends=(),
    citation="""@inproceedings{vedantam2015cider,
  title={CIDEr: Consensus-based Image Description Evaluation},
  author={Vedantam, Ramakrishna and Zitnick, C. Lawrence and Parikh, Devi}, booktitle={CVPR}, year={2015}
}""",
    urls=("https://arxiv.org/abs/1411.5726",),
)


@lru_cache(maxsize=2)
def _counted(corpus: tuple[str, ...]) -> tuple[DocumentFrequencies, str]:
    """Return the document frequencies of a corpus and its hash, counted once: a reward is called thousands of times."""
    frequencies, digest = DocumentFrequencies(), hashlib.sha256()
    for i, text in enumerate(corpus):
        frequencies.add([require_string(f"corpus[{i}]", text)])
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return frequencies, digest.hexdigest()[:8]


class CiderScorer(Scorer):
    """Counts in how many references each n-gram occurs (first pass), then scores (second pass)."""

    spec = SPEC
    options: ClassVar = {
        "corpus": Option(None, list, "reports to count document frequencies in; by default the references")
    }

    def prepare(self) -> None:
        self._frequencies = DocumentFrequencies()
        self._corpus_hash = ""
        corpus = self.chosen["corpus"]
        if corpus is None:
            return
        if not corpus:
            raise InputError("corpus of cider is empty: give a list with at least one report")
        for i, text in enumerate(corpus):
            if not isinstance(text, str):
                require_string(f"corpus[{i}]", text)
        self._frequencies, self._corpus_hash = _counted(tuple(corpus))

    @property
    def two_pass(self) -> bool:
        return self.chosen["corpus"] is None

    def observe(self, pairs: Sequence[Pair]) -> None:
        for pair in pairs:
            self._frequencies.add(pair.references)

    def observed(self, whole: bool = False) -> dict[str, Any]:
        # an n-gram of one document weighs as much as one of none, and most n-grams of a corpus occur in one
        least = 2 if whole else 1
        counts = {" ".join(ngram): df for ngram, df in self._frequencies.counts.items() if df >= least}
        return {"documents": self._frequencies.documents, "counts": counts}

    def add_observed(self, observed: Any) -> None:
        self._frequencies.documents += observed["documents"]
        counts = self._frequencies.counts
        for ngram, df in observed["counts"].items():
            counts[tuple(ngram.split(" "))] += df

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        if self._frequencies.documents < 2:
            log.warning(
                "cider weighs words by how rare they are: with a single reference every score is 0. "
                "Score a whole test set, or pass corpus=[reports]"
            )
        texts = dict.fromkeys(text for pair in pairs for text in (pair.prediction, *pair.references))
        vectors = {text: ngram_vectors(text, self._frequencies) for text in texts}
        scores = np.array([cider_d(vectors[p.prediction], [vectors[r] for r in p.references]) for p in pairs])
        details = None
        if detailed:
            details = [
                {
                    "prediction_words": vectors[p.prediction].length,
                    "reference_words": [vectors[r].length for r in p.references],
                }
                for p in pairs
            ]
        return PairScores({"cider": scores}, details=details)

    def signature_fields(self) -> dict[str, object]:
        df = f"corpus-{self._corpus_hash}" if self._corpus_hash else "references"
        return {"variant": "d", "df": df, "tok": "words-lc"}


SCORER = CiderScorer
