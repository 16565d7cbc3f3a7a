"""RaTE-NER (Zhao et al. 2024): finds entities of five types by token classification of a report's sentences.

`radeval train ner` writes models in the same layout, with any encoder; those of the span scheme are in `rate_span`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import transformers
from tokenizers import Encoding, Tokenizer, normalizers
from tqdm import tqdm

from radeval_core.annotators.base import TextModel
from radeval_core.annotators.rate_decoding import DECODINGS, TokenSpan
from radeval_core.annotators.rate_sentences import rate_sentences, upstream_sentences
from radeval_core.annotators.token_embeddings import position_count
from radeval_core.engine.checkpoints import load_encoder
from radeval_core.engine.deberta import speed_up_deberta
from radeval_core.engine.files import checkpoint_file, is_folder
from radeval_core.engine.forward import TokenIds
from radeval_core.errors import CheckpointError
from radeval_core.findings.types import RateEntity, Span
from radeval_core.findings.views.rate import TYPES

ENCODER = "FremyCompany/BioLORD-2023-C"
#: maximum tokens per sentence, including special tokens (RaTEScore 0.6.0)
MAX_TOKENS = 512
#: checkpoints write the types in upper case
TYPE_OF = {kind.upper(): kind for kind in TYPES}
LABELS = ("O", *(f"{tag}-{kind}" for kind in TYPE_OF for tag in "BI"))
#: in a trained folder: which encoder it has and how it is used
ENCODER_RECORD = "ratescore.json"
#: how sentencepiece writes a space
_SPACE = "▁"


class Sources(NamedTuple):
    """The sources of RaTEScore's two models: Hub id or folder, and the name in signatures.

    `pooling` says how the encoder gives a name one vector, see `entity_encoder.POOLINGS`.
    """

    ner: str
    ner_name: str
    encoder: str
    encoder_name: str
    pooling: str = "cls"


@dataclass(frozen=True, slots=True)
class RateReport:
    """RaTE-NER's result for a report.

    Attributes:
        entities: in the order of the text.
        unread: start and end of each part of a long sentence beyond the model's limit.
    """

    entities: tuple[RateEntity, ...]
    unread: tuple[Span, ...]


def rate_sources(source: str, encoder: str | None = None) -> Sources:
    """Return the sources of the two models of a checkpoint.

    Args:
        source: folder with the folders `ner` and `encoder`, or Hub id of the NER model, which is used with BioLORD.
        encoder: Hub id or folder of another encoder; the folder `encoder` is not needed then.
    """
    if not is_folder(source):
        return Sources(source, source, encoder or ENCODER, encoder or ENCODER)
    for part in ("ner",) if encoder else ("ner", "encoder"):
        if not Path(source, part).is_dir():
            raise CheckpointError(
                f"folder {source!r} has no folder {part!r}: ratescore needs ner/ (RaTE-NER) and encoder/ (BioLORD)"
            )
    name = Path(source).resolve().name
    ner = str(Path(source, "ner")), f"{name}/ner"
    if encoder:
        return Sources(*ner, encoder, encoder)
    known = read_encoder_record(Path(source))
    return Sources(
        *ner, str(Path(source, "encoder")), known.get("name", f"{name}/encoder"), known.get("pooling", "cls")
    )


def read_encoder_record(folder: Path) -> dict[str, str]:
    """Return name and pooling of a folder's encoder as `radeval train ner` recorded them; empty without a record.

    The published encoder needs none: RaTEScore takes the vector of its first token.
    """
    file = folder / ENCODER_RECORD
    if not file.is_file():
        return {}
    try:
        known = json.loads(file.read_text("utf-8"))["encoder"]
        return {"name": str(known["name"]), "pooling": str(known["pooling"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            f'{file}: expected {{"encoder": {{"name": …, "pooling": "cls" or "mean"}}}} ({type(error).__name__})'
        ) from error


@dataclass(eq=False, repr=False)
class RateNer(TextModel):
    """An annotator that finds the entities of reports. Each distinct sentence of a call is read once.

    Attributes:
        source: Hub id or folder of the token classifier.
        name: what signatures call the model; the source by default.
        decoding: how labels become entities: `strict` (the IOB scheme) or `upstream` (as RaTEScore 0.6.0).
        max_tokens: maximum tokens per sentence, special tokens included.
    """

    name: str | None = field(default=None, kw_only=True)
    decoding: str = field(default="strict", kw_only=True)
    max_tokens: int = field(init=False)

    def read_checkpoint(self) -> None:
        classifier = transformers.AutoModelForTokenClassification
        model, tokenizer, self.model_name = load_encoder(
            self.source, None, self.torch_dtype, self.name or self.source, auto=classifier, exact=True
        )
        self.labels = _read_labels(model.config.id2label, self.source)
        speed_up_deberta(model)
        self.max_tokens = token_limit(model.config)
        self.tokenizer: Tokenizer = read_tokenizer(self.source, tokenizer, self.max_tokens)
        self.make_loop(model.to(self.where), tokenizer.pad_token_id)

    @property
    def identity(self) -> str:
        identity = f"rate-entities|{self.model_name}|{self.dtype}|max:{self.max_tokens}|sentences:1"
        return identity if self.decoding == "strict" else f"{identity}|decoding:{self.decoding}"

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says of the annotator."""
        return {"model": self.model_name, "max_tokens": self.max_tokens, "decoding": self.decoding}

    def annotate(self, texts: Sequence[str]) -> list[RateReport]:
        split = upstream_sentences if self.decoding == "upstream" else rate_sentences
        places = [split(text) for text in texts]
        unique = dict.fromkeys(text[a:b] for text, spans in zip(texts, places, strict=True) for a, b in spans)
        read = dict(zip(unique, self.read_sentences(list(unique)), strict=True))
        return [_join(((a, read[text[a:b]]) for a, b in spans)) for text, spans in zip(texts, places, strict=True)]

    def read_sentences(self, sentences: list[str]) -> list[RateReport]:
        """Return the entities of each sentence; positions count from its start."""
        if not sentences:
            return []
        encoded = self.tokenizer.encode_batch(sentences)
        with tqdm(
            total=len(sentences), desc="entities", unit="sentence", leave=False, disable=None if self.progress else True
        ) as bar:
            labels = self.loop.run_tokens([e.ids for e in encoded], self.collect, bar)
        return [self._report(*row) for row in zip(sentences, encoded, labels, strict=True)]

    def token_ids(self, sentences: Sequence[str]) -> list[TokenIds]:
        """Return token ids with special tokens, truncated to the limit."""
        return [e.ids for e in self.tokenizer.encode_batch(list(sentences))]

    def collect(self, output: Any, rows: list[TokenIds]) -> list[list[str]]:
        """Return the label of each token of a batch."""
        best = output.logits.argmax(dim=-1).tolist()
        return [[self.labels[i] for i in ids[: len(row)]] for ids, row in zip(best, rows, strict=True)]

    def _report(self, sentence: str, encoded: Encoding, labels: list[str]) -> RateReport:
        """Build the entities of a sentence from the labels of its tokens."""
        return self.joined(sentence, encoded, DECODINGS[self.decoding](labels))

    def joined(self, sentence: str, encoded: Encoding, spans: Sequence[TokenSpan]) -> RateReport:
        """Build the entities of a sentence from spans of its tokens."""
        entities = []
        for first, after, kind in spans:
            start, end = encoded.offsets[first][0], encoded.offsets[after - 1][1]
            start += len(sentence[start:end]) - len(sentence[start:end].lstrip())
            text = self._as_text(encoded.ids[first:after]) if self._joins_pieces else sentence[start:end]
            entities.append(RateEntity(text, TYPE_OF[kind], start, end))
        cut = encoded.overflowing
        return RateReport(tuple(entities), ((encoded.offsets[-2][1], len(sentence)),) if cut else ())

    @cached_property
    def _joins_pieces(self) -> bool:
        """Return True for a vocabulary of sentencepiece, as RaTE-NER's: its pieces join to a text."""
        return any(token.startswith(_SPACE) for token in self.tokenizer.get_vocab())

    def _as_text(self, ids: Sequence[int]) -> str:
        """Join word pieces into the encoder's input; unknown ones are `[UNK]`, as upstream."""
        pieces = (str(self.tokenizer.id_to_token(i)) for i in ids)
        return "".join(pieces).replace(_SPACE, " ").removeprefix(" ")

    def dump(self, annotation: RateReport) -> bytes:
        return json.dumps([[astuple(e) for e in annotation.entities], annotation.unread]).encode()

    def load(self, data: bytes) -> RateReport:
        entities, unread = json.loads(data)
        return RateReport(tuple(RateEntity(*e) for e in entities), tuple((a, b) for a, b in unread))

    def size(self, annotation: RateReport) -> int:
        return sum(200 + len(e.text) for e in annotation.entities)


def _join(sentences: Iterator[tuple[int, RateReport]]) -> RateReport:
    """Join the results of a report's sentences, given with the start of each."""
    entities: list[RateEntity] = []
    unread: list[Span] = []
    for at, read in sentences:
        entities.extend(RateEntity(e.text, e.type, at + e.start, at + e.end) for e in read.entities)
        unread.extend((at + start, at + end) for start, end in read.unread)
    return RateReport(tuple(entities), tuple(unread))


def _read_labels(id2label: Mapping[int, str], source: str) -> list[str]:
    """Return the labels in the order of the classifier's outputs, in upper case."""
    labels = [str(id2label[i]).upper() for i in sorted(id2label)]
    if sorted(labels) != sorted(LABELS):
        wrong = sorted(set(labels) ^ set(LABELS)) or labels
        raise CheckpointError(
            f"{Path(source, 'config.json') if is_folder(source) else f'config.json of {source}'}: id2label must "
            f"contain the {len(LABELS)} labels of RaTE-NER (O, B- and I- of {', '.join(TYPE_OF)}), but {wrong[0]!r} "
            "is missing, unknown or repeated"
        )
    return labels


def token_limit(config: Any) -> int:
    """Return the maximum tokens per sentence: RaTEScore's, or fewer if the model has fewer positions."""
    return min(MAX_TOKENS, position_count(config))


def read_tokenizer(source: str, built: Any, limit: int = MAX_TOKENS) -> Tokenizer:
    """Return the tokenizer the model was trained with.

    transformers 5 rebuilds DeBERTa's tokenizers with NFC normalisation, but their files specify NFKC, which turns `ﬁ`
    into `fi` and a non-breaking space into a plain one.

    Args:
        source: Hub id or folder.
        built: transformers' tokenizer, for a checkpoint without tokenizer.json.
        limit: maximum tokens per sentence.
    """
    try:
        tokenizer = Tokenizer.from_file(str(checkpoint_file(source, "tokenizer.json")))
    except CheckpointError:
        tokenizer = Tokenizer.from_str(built.backend_tokenizer.to_str())
        if type(built).__name__.startswith("DebertaV2"):
            tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), tokenizer.normalizer])
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    return tokenizer


@lru_cache(maxsize=2)
def rate_ner(
    source: str,
    device: str | None,
    dtype: str,
    batch_tokens: int | None,
    progress: bool,
    name: str | None = None,
    decoding: str = "strict",
) -> RateNer:
    """Return a loaded model of either scheme, kept for the next call."""
    from radeval_core.annotators.rate_span import SpanNer, is_span_model

    reader = SpanNer if is_span_model(source) else RateNer
    return reader(
        source, device, dtype=dtype, batch_tokens=batch_tokens, progress=progress, name=name, decoding=decoding
    )
