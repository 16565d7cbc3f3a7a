"""`bertscore`: greedy matching of contextual token vectors, on any encoder."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from radeval_core.errors import InputError
from radeval_core.functional.bertscore import (
    count_documents,
    inverse_document_frequencies,
    precision_recall_f1,
    token_weights,
)
from radeval_core.metrics._annotated import CheckpointScorer
from radeval_core.metrics.base import DTYPE, Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair, is_blank

if TYPE_CHECKING:
    from radeval_core.annotators.token_embeddings import TokenEmbedder, TokenVectors

#: layer of MiniLM whose token vectors agree best with the published distilroberta-base scores on real report pairs
EMBEDDED_LAYER = 3
#: layer of encoders that bert-score has no table for: RadEval's adapter takes 22 of its ModernBERT
LAYERS = {"IAMJB/RadEvalModernBERT": 22}
PARTS = ("precision", "recall", "f1")

SPEC = MetricSpec(
    name="bertscore",
    measures="similarity of contextual token vectors (F1)",
    version=2,
    higher_is_better=True,
    bounds=(None, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(0.0, 0.0, 0.0, "no token can match"),
    multi_reference=True,
    corpus_headline=False,
    two_pass=False,
    parts={
        "precision": Part(True, "similarity of the prediction's tokens to the reference's"),
        "recall": Part(True, "similarity of the reference's tokens to the prediction's"),
        "f1": Part(True, "harmonic mean of precision and recall"),
    },
    configs=(
        Config("embedded", "MiniLM from a PyPI wheel, layer 3, no download", extra="models"),
        Config("distilroberta-base", "layer 5, rescaled, as in RadCliQ", "distilroberta-base", "models"),
        Config("roberta-large", "layer 17, as bert-score does by default for English", "roberta-large", "models"),
        Config("radeval-modernbert", "layer 22, as RadEval's BERTScore", "IAMJB/RadEvalModernBERT", "models"),
    ),
    takes_checkpoint=True,
    backends=(),
    citation="""@inproceedings{zhang2020bertscore,
  title={BERTScore: Evaluating Text Generation with BERT},
  author={Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav},
  booktitle={ICLR}, year={2020}
}""",
    urls=("https://arxiv.org/abs/1904.09675",),
)


class BertScorer(CheckpointScorer):
    """Embeds each distinct report once, then matches all distinct pairs in batches."""

    spec = SPEC
    options: ClassVar = {
        "layer": Option(None, int, "layer to compare, from 1; by default the recommended one if known, else the last"),
        "idf": Option(False, bool, "weigh tokens by how rare they are among the references"),
        "rescale": Option(
            None,
            bool,
            "subtract the similarity of unrelated texts, for encoders with a published baseline; "
            "by default only with distilroberta-base",
        ),
        "dtype": DTYPE,
    }

    def prepare(self) -> None:
        self._documents = 0
        self._counts: Counter[int] = Counter()
        known = known_encoders().get(self.source)
        recommended = known["layer"] if known else (LAYERS.get(self.source) if self.source else EMBEDDED_LAYER)
        self._layer = recommended if self.chosen["layer"] is None else self.chosen["layer"]
        rescale = self.chosen["rescale"]
        if rescale is None:
            rescale = self.config.name == "distilroberta-base"
        self._baseline = None
        if rescale:
            if not known or str(self._layer) not in known["baseline"]:
                rescalable = ", ".join(known_encoders())
                raise InputError(
                    f"no baseline is known for {self.source or 'the embedded encoder'} at layer {self._layer}: "
                    f"rescale=True works with {rescalable}"
                )
            self._baseline = known["baseline"][str(self._layer)]

    @property
    def embedder(self) -> TokenEmbedder:
        with self.needs_models():
            from radeval_core.annotators.token_embeddings import EMBEDDED, token_embedder
        r = self.resources
        source = self.source or EMBEDDED
        return token_embedder(source, self._layer, r.device, self.chosen["dtype"], r.batch_tokens, r.progress)

    def warm_up(self) -> None:
        _ = self.embedder

    @property
    def two_pass(self) -> bool:
        return bool(self.chosen["idf"])

    def observe(self, pairs: Sequence[Pair]) -> None:
        references = [text for pair in pairs for text in pair.references]
        unique = list(dict.fromkeys(references))
        ids = dict(zip(unique, self.embedder.token_ids(unique), strict=True))
        self._documents += len(references)
        self._counts.update(count_documents(ids[text] for text in references))

    def observed(self, whole: bool = False) -> dict[str, Any]:
        return {"documents": self._documents, "counts": list(self._counts.items())}

    def add_observed(self, observed: Any) -> None:
        self._documents += observed["documents"]
        for token, count in observed["counts"]:
            self._counts[token] += count

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        from radeval_core.engine.similarity import best_matches

        texts = [t for pair in pairs for t in (pair.prediction, *pair.references) if not is_blank(t)]
        vectors: dict[str, TokenVectors] = self.resources.store.annotate(self.embedder, texts)
        weights = self._weights(vectors)
        couples = {(pair.prediction, r): (0.0, 0.0, 0.0) for pair in pairs for r in pair.references}
        matchable = [c for c in couples if c[0] in weights and c[1] in weights]
        best = best_matches([(vectors[p].vectors, vectors[r].vectors) for p, r in matchable], self.embedder.loop.device)
        for (p, r), (of_p, of_r) in zip(matchable, best, strict=True):
            couples[p, r] = precision_recall_f1(of_p, weights[p], of_r, weights[r], self._baseline)
        # With several references each of the three takes its best, as the original package does.
        rows = np.array([np.max([couples[pair.prediction, r] for r in pair.references], axis=0) for pair in pairs])
        values = {part: rows[:, i] for i, part in enumerate(PARTS)}
        details = None
        if detailed:
            found = dict(zip(matchable, best, strict=True))
            details = [self._detail(pair, vectors, found) for pair in pairs]
        return PairScores({"bertscore": values["f1"], **values}, details=details)

    def _weights(self, vectors: dict[str, TokenVectors]) -> dict[str, NDArray[np.float64]]:
        """Return the token weights of each text that has at least one token besides the special ones."""
        idf = inverse_document_frequencies(self._documents, self._counts) if self.chosen["idf"] else None
        special, unseen = self.embedder.special_ids, math.log(self._documents + 1)
        return {
            text: token_weights(v.ids, special, idf, unseen)
            for text, v in vectors.items()
            if not special.issuperset(v.ids.tolist())
        }

    def _detail(
        self, pair: Pair, vectors: dict[str, TokenVectors], found: dict[tuple[str, str], Any]
    ) -> dict[str, Any]:
        """Return the tokens of both reports with index and cosine of each best match, for the first reference."""
        both = found.get((pair.prediction, pair.reference))
        sides = {}
        cosines = vectors[pair.prediction].vectors @ vectors[pair.reference].vectors.T if both else np.zeros((0, 0))
        for i, (side, text) in enumerate((("prediction", pair.prediction), ("reference", pair.reference))):
            tokens = self.embedder.tokens(vectors[text]) if text in vectors else []
            best = both[i].astype(float).round(6).tolist() if both else [0.0] * len(tokens)
            cut = text in vectors and len(vectors[text].ids) >= self.embedder.max_length
            match = cosines.argmax(axis=1 - i).tolist() if both else []
            sides[side] = {"tokens": tokens, "best": best, "match": match, "truncated": cut}
        return sides

    def signature_fields(self) -> dict[str, object]:
        return {
            "model": self.embedder.model_name,
            "layer": self.embedder.layer,
            "max_tokens": self.embedder.max_length,
            "idf": bool(self.chosen["idf"]),
            "rescale": self._baseline is not None,
            "dtype": self.chosen["dtype"],
        }


@cache
def known_encoders() -> dict[str, Any]:
    """Return the recommended layers and baselines of published encoders."""
    text = resources.files("radeval_core.functional").joinpath("bertscore_baselines.json").read_text("utf-8")
    encoders: dict[str, Any] = json.loads(text)["encoders"]
    return encoders


SCORER = BertScorer
