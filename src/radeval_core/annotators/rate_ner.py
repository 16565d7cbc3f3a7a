"""RaTE-NER (Zhao et al. 2024): the entities of a report, in five types, from token classification of its sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import transformers
from tokenizers import Encoding, Tokenizer, normalizers
from tqdm import tqdm

from radeval_core.annotators.rate_sentences import Span, rate_sentences
from radeval_core.engine.checkpoints import load_encoder
from radeval_core.engine.deberta import speed_up_deberta
from radeval_core.engine.devices import choose_device, choose_dtype, token_budget
from radeval_core.engine.files import checkpoint_file, is_folder
from radeval_core.engine.forward import ForwardLoop, TokenIds
from radeval_core.errors import CheckpointError
from radeval_core.findings.structures import RateEntity
from radeval_core.findings.views.rate import TYPES

NER = "Angelakeke/RaTE-NER-Deberta"
ENCODER = "FremyCompany/BioLORD-2023-C"
#: a sentence is cut after so many tokens, special ones included (RaTEScore 0.6.0)
MAX_TOKENS = 512
#: checkpoints write the types in upper case
_TYPES = {kind.upper(): kind for kind in TYPES}
_LABELS = {"O", *(f"{tag}-{kind}" for tag in "BI" for kind in _TYPES)}
#: how sentencepiece writes a space
_SPACE = "▁"


class Sources(NamedTuple):
    """Where the two models of RaTEScore come from: Hub id or folder, and what signatures call each."""

    ner: str
    ner_name: str
    encoder: str
    encoder_name: str


@dataclass(frozen=True, slots=True)
class RateReport:
    """What RaTE-NER says of a report.

    Attributes:
        entities: in the order of the text.
        unread: start and end of what lies beyond the model's limit in a long sentence.
    """

    entities: tuple[RateEntity, ...]
    unread: tuple[Span, ...]


def rate_sources(source: str) -> Sources:
    """The two models a checkpoint stands for.

    Args:
        source: folder with the folders `ner` and `encoder`, or Hub id of the NER model, to which BioLORD belongs.
    """
    if not is_folder(source):
        return Sources(source, source, ENCODER, ENCODER)
    for part in ("ner", "encoder"):
        if not Path(source, part).is_dir():
            raise CheckpointError(
                f"folder {source!r} has no folder {part!r}: ratescore needs ner/ (RaTE-NER) and encoder/ (BioLORD)"
            )
    name = Path(source).resolve().name
    return Sources(str(Path(source, "ner")), f"{name}/ner", str(Path(source, "encoder")), f"{name}/encoder")


class RateNer:
    """An annotator that finds the entities of reports. Each distinct sentence of a call is read once.

    Args:
        source: Hub id or folder of the token classifier.
        device: see `choose_device`.
        dtype: `fp32`, `bf16` or `fp16`.
        batch_tokens: token budget of a batch.
        progress: show a bar on a terminal.
        name: what signatures call the model; the source by default.
    """

    def __init__(
        self,
        source: str,
        device: str | None = None,
        dtype: str = "fp32",
        batch_tokens: int | None = None,
        progress: bool = True,
        name: str | None = None,
    ) -> None:
        where = choose_device(device)
        model, tokenizer, self.model_name = load_encoder(
            source,
            None,
            choose_dtype(dtype),
            name or source,
            auto=transformers.AutoModelForTokenClassification,
            exact=True,
        )
        self.labels = _read_labels(model.config.id2label, source)
        speed_up_deberta(model)
        self.tokenizer = _read_tokenizer(source, tokenizer)
        self.dtype, self.progress = dtype, progress
        budget = token_budget(where, batch_tokens)
        self.loop = ForwardLoop(model.to(where), self.token_ids, tokenizer.pad_token_id or 0, where, budget)

    @property
    def identity(self) -> str:
        return f"rate-entities|{self.model_name}|{self.dtype}|max:{MAX_TOKENS}|sentences:1"

    def annotate(self, texts: Sequence[str]) -> list[RateReport]:
        places = [rate_sentences(text) for text in texts]
        unique = dict.fromkeys(text[a:b] for text, spans in zip(texts, places, strict=True) for a, b in spans)
        read = dict(zip(unique, self.read_sentences(list(unique)), strict=True))
        return [_join(((a, read[text[a:b]]) for a, b in spans)) for text, spans in zip(texts, places, strict=True)]

    def read_sentences(self, sentences: list[str]) -> list[RateReport]:
        """The entities of each sentence, counted from its start."""
        if not sentences:
            return []
        encoded = self.tokenizer.encode_batch(sentences)
        with tqdm(
            total=len(sentences), desc="entities", unit="sentence", leave=False, disable=None if self.progress else True
        ) as bar:
            labels = self.loop.run_tokens([e.ids for e in encoded], self.collect, bar)
        return [self._report(*row) for row in zip(sentences, encoded, labels, strict=True)]

    def token_ids(self, sentences: Sequence[str]) -> list[TokenIds]:
        """Token ids with special tokens, cut to the limit."""
        return [e.ids for e in self.tokenizer.encode_batch(list(sentences))]

    def collect(self, output: Any, rows: list[TokenIds]) -> list[list[str]]:
        """The label of each token of a batch."""
        best = output.logits.argmax(dim=-1).tolist()
        return [[self.labels[i] for i in ids[: len(row)]] for ids, row in zip(best, rows, strict=True)]

    def _report(self, sentence: str, encoded: Encoding, labels: list[str]) -> RateReport:
        """The entities of a sentence from the labels of its tokens."""
        entities = []
        # The first and the last token are special ones: what the model says of them means nothing.
        for first, after, kind in iob_spans(labels[1:-1]):
            start, end = encoded.offsets[first + 1][0], encoded.offsets[after][1]
            start += len(sentence[start:end]) - len(sentence[start:end].lstrip())
            text = self._as_text(encoded.ids[first + 1 : after + 1])
            entities.append(RateEntity(text, _TYPES[kind], start, end))
        cut = encoded.overflowing
        return RateReport(tuple(entities), ((encoded.offsets[-2][1], len(sentence)),) if cut else ())

    def _as_text(self, ids: Sequence[int]) -> str:
        """Word pieces as the text the encoder gets; what the vocabulary lacks is `[UNK]`, as upstream has it."""
        pieces = (str(self.tokenizer.id_to_token(i)) for i in ids)
        return "".join(pieces).replace(_SPACE, " ").removeprefix(" ")

    def dump(self, annotation: RateReport) -> bytes:
        return json.dumps([[astuple(e) for e in annotation.entities], annotation.unread]).encode()

    def load(self, data: bytes) -> RateReport:
        entities, unread = json.loads(data)
        return RateReport(tuple(RateEntity(*e) for e in entities), tuple((a, b) for a, b in unread))

    def size(self, annotation: RateReport) -> int:
        return sum(200 + len(e.text) for e in annotation.entities)


def iob_spans(labels: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """First token, token after the last, and type of each entity in a row of IOB labels.

    An entity begins at a B- label and goes on over I- labels of its own type, to the end of the row if need be. An I-
    label of another type, or without a B- before it, is part of no entity.
    """
    first, kind = 0, ""
    for at, label in enumerate([*labels, "O"]):
        tag, _, its_kind = label.partition("-")
        if kind and (tag != "I" or its_kind != kind):
            yield first, at, kind
            kind = ""
        if tag == "B":
            first, kind = at, its_kind


def _join(sentences: Iterator[tuple[int, RateReport]]) -> RateReport:
    """One report from its sentences and where each starts."""
    entities: list[RateEntity] = []
    unread: list[Span] = []
    for at, read in sentences:
        entities.extend(RateEntity(e.text, e.type, at + e.start, at + e.end) for e in read.entities)
        unread.extend((at + start, at + end) for start, end in read.unread)
    return RateReport(tuple(entities), tuple(unread))


def _read_labels(id2label: Mapping[int, str], source: str) -> list[str]:
    """The labels in the order of the classifier's outputs, in upper case."""
    labels = [str(id2label[i]).upper() for i in sorted(id2label)]
    if set(labels) != _LABELS or len(labels) != len(_LABELS):
        wrong = sorted(set(labels) ^ _LABELS) or labels
        raise CheckpointError(
            f"{Path(source, 'config.json') if is_folder(source) else f'config.json of {source}'}: id2label must name "
            f"the {len(_LABELS)} labels of RaTE-NER (O, and B- and I- of {', '.join(_TYPES)}), but {wrong[0]!r} is "
            "missing, unknown or there twice"
        )
    return labels


def _read_tokenizer(source: str, built: Any) -> Tokenizer:
    """The tokenizer the model was trained with.

    transformers 5 builds DeBERTa's tokenizers anew and normalises text by NFC; their own files say NFKC, by which `ﬁ`
    becomes `fi` and a space that does not break becomes a plain one.

    Args:
        source: Hub id or folder.
        built: transformers' tokenizer, for a checkpoint without tokenizer.json.
    """
    try:
        tokenizer = Tokenizer.from_file(str(checkpoint_file(source, "tokenizer.json")))
    except CheckpointError:
        tokenizer = Tokenizer.from_str(built.backend_tokenizer.to_str())
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), tokenizer.normalizer])
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


@lru_cache(maxsize=2)
def rate_ner(
    source: str, device: str | None, dtype: str, batch_tokens: int | None, progress: bool, name: str | None = None
) -> RateNer:
    """A loaded model, kept for the next call."""
    return RateNer(source, device, dtype, batch_tokens, progress, name)
