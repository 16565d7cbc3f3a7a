"""RadGraph (Jain et al. 2021): finds the entities and relations of reports with the published span models.

It also runs RadGraph-XL and later models with the same archive format. Reports are batched, both for the encoder and
for the scoring nets.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch
import transformers
from tqdm import tqdm
from transformers.initialization import no_init_weights

from radeval_core.annotators.base import TextModel
from radeval_core.annotators.radgraph_archive import ENDING, SpanModelConfig, find_archive, read_model
from radeval_core.annotators.radgraph_model import ReportSpans, SpanModel
from radeval_core.annotators.radgraph_words import ENCODED_AS, word_rules
from radeval_core.engine.batching import unique_texts
from radeval_core.engine.checkpoints import QuietTransformers, cannot_load, identity, load_failure, pretrained
from radeval_core.engine.claims import check_claim, load_config
from radeval_core.engine.files import files_identity, is_folder
from radeval_core.engine.forward import TokenIds
from radeval_core.errors import CheckpointError, is_out_of_memory
from radeval_core.findings.types import GraphEntity, RadGraph, Relation

#: maximum tokens of the reports whose vectors are in memory at the same time
_GROUP_TOKENS = 32_768
#: prefix of the label files if the training set has no name
_NO_NAME = "None"


@dataclass(eq=False, repr=False)
class RadGraphAnnotator(TextModel):
    """An annotator that reads reports into graphs.

    Attributes:
        source: folder with an archive `*.tar.gz`, and the encoder it names under `hub/<name>`; or Hub id.
        name: the archive on the Hub, without ending; the last part of the id if not given.
    """

    name: str | None = field(default=None, kw_only=True)
    dtype: str = field(default="fp32", init=False)

    def read_checkpoint(self) -> None:
        archive = find_archive(self.source, self.name)
        self.config, tensors = read_model(archive)
        weights = sum(tensor.nbytes for tensor in tensors.values() if isinstance(tensor, torch.Tensor))
        encoder, self.tokenizer, self.encoder_name = _empty_encoder(self.source, self.config, weights)
        self.model = SpanModel(self.config, encoder, tensors, f"{archive}: weights.th").to(self.where)
        title = archive.name.removesuffix(ENDING)
        self.model_name = files_identity(title, [archive])
        self.words = word_rules(title if self.config.kind == _NO_NAME else self.config.kind)
        self._start, self._end = _special_tokens(self.tokenizer, self.config.encoder)
        limit = self.config.max_length or encoder.config.max_position_embeddings
        self._window = limit - 2
        self.make_loop(self.model.encoder, self.tokenizer.pad_token_id)
        self._group = max(_GROUP_TOKENS, 2 * self.loop.budget)

    @property
    def identity(self) -> str:
        return f"radgraph|{self.model_name}|{self.encoder_name}"

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says of the annotator."""
        return {"model": self.model_name, "encoder": self.encoder_name, "window": self._window + 2}

    def windows(self, text: str) -> int:
        """Return the number of windows in which the encoder reads a report."""
        return len(self._windows(self._word_tokens([self.words(text)])[0]))

    def annotate(self, texts: Sequence[str]) -> list[RadGraph]:
        """Return one graph per text; a text without words gets a graph without entities."""
        unique, inverse = unique_texts(texts)
        words = [self.words(text) for text in unique]
        tokens = self._word_tokens(words)
        found: dict[int, RadGraph] = {i: RadGraph("", (), ()) for i, report in enumerate(words) if not report}
        bar = tqdm(
            total=sum(len(self._windows(report)) for report in tokens),
            desc="RadGraph", unit="window", leave=False, disable=None if self.progress else True,
        )  # fmt: skip
        with bar:
            for group in self._groups(words, tokens):
                vectors = self._vectors([tokens[i] for i in group], bar)
                spans = self.model.read(vectors, [len(words[i]) for i in group])
                for i, report in zip(group, spans, strict=True):
                    found[i] = self._graph(words[i], report)
        return [found[i] for i in inverse]

    def _groups(self, words: Sequence[list[str]], tokens: Sequence[list[TokenIds]]) -> Iterator[list[int]]:
        """Yield groups of reports of similar length, longest first, that fit into memory."""
        sizes = [max(sum(map(len, report)), len(report)) for report in tokens]
        group: list[int] = []
        total = 0
        for i in sorted((i for i, report in enumerate(words) if report), key=lambda i: -sizes[i]):
            if group and total + sizes[i] > self._group:
                yield group
                group, total = [], 0
            group.append(i)
            total += sizes[i]
        if group:
            yield group

    def _word_tokens(self, reports: Sequence[list[str]]) -> list[list[TokenIds]]:
        """Return the token ids of each word of each report; each distinct word is tokenised once per call."""
        words = list(dict.fromkeys(word for report in reports for word in report))
        ids = self.token_ids([ENCODED_AS.get(word, word) for word in words]) if words else []
        tokens = dict(zip(words, ids, strict=True))
        return [[tokens[word] for word in report] for report in reports]

    def token_ids(self, texts: Sequence[str]) -> list[TokenIds]:
        """Return token ids of words, without special tokens and uncut."""
        words = list(texts)
        ids: list[TokenIds] = self.tokenizer(words, add_special_tokens=False, return_attention_mask=False)["input_ids"]
        return ids

    def _windows(self, report: Sequence[TokenIds]) -> list[list[int]]:
        """Split the tokens of a report into windows of the encoder's size, even inside words."""
        tokens = [token for word in report for token in word]
        starts = range(0, len(tokens), self._window)
        return [[self._start, *tokens[i : i + self._window], self._end] for i in starts]

    def _vectors(self, reports: Sequence[list[TokenIds]], bar: Any) -> torch.Tensor:
        """Return one vector per word of all reports: the mean of its tokens, 0 for a word without tokens."""
        windows = [window for report in reports for window in self._windows(report)]
        counts = torch.tensor([len(word) for report in reports for word in report], device=self.loop.device)
        states = self.loop.run_tokens(windows, _without_special_tokens, bar)
        size = self.model.encoder.config.hidden_size
        sums = torch.zeros(len(counts), size, device=self.loop.device)
        if states:
            words = torch.arange(len(counts), device=self.loop.device).repeat_interleave(counts)
            sums.index_add_(0, words, torch.cat(states))
        return sums / counts.clamp(min=1)[:, None]

    def _graph(self, words: Sequence[str], spans: ReportSpans) -> RadGraph:
        """Build a graph with the positions of entities in the words joined by spaces."""
        text = " ".join(words)
        ends = list(accumulate(len(word) + 1 for word in words))
        bounds = [
            (ends[first] - len(words[first]) - 1, ends[last] - 1)
            for first, last in zip(spans.first, spans.last, strict=True)
        ]
        return RadGraph(
            text,
            tuple(
                GraphEntity(text[start:end], self.config.ner_labels[label], start, end)
                for (start, end), label in zip(bounds, spans.labels, strict=True)
            ),
            tuple(Relation(s, self.config.relation_labels[kind], t) for s, kind, t in spans.relations),
        )

    def dump(self, annotation: RadGraph) -> bytes:
        entities = [(e.label, e.start, e.end) for e in annotation.entities]
        relations = [(r.source, r.kind, r.target) for r in annotation.relations]
        return json.dumps([annotation.text, entities, relations]).encode()

    def load(self, data: bytes) -> RadGraph:
        text, entities, relations = json.loads(data)
        return RadGraph(
            text,
            tuple(GraphEntity(text[start:end], label, start, end) for label, start, end in entities),
            tuple(Relation(*relation) for relation in relations),
        )

    def size(self, annotation: RadGraph) -> int:
        return annotation.memory_size


@lru_cache(maxsize=4)
def radgraph_annotator(
    source: str, name: str | None, device: str | None, batch_tokens: int | None, progress: bool
) -> RadGraphAnnotator:
    """Return a loaded annotator, kept for the next call: several metrics and many training steps share one model."""
    return RadGraphAnnotator(source, device, batch_tokens=batch_tokens, progress=progress, name=name)


def _without_special_tokens(output: Any, rows: list[TokenIds]) -> list[torch.Tensor]:
    states = output.last_hidden_state
    return [states[i, 1 : len(row) - 1] for i, row in enumerate(rows)]


def _empty_encoder(source: str, config: SpanModelConfig, weights: int) -> tuple[Any, Any, str]:
    """Return the encoder an archive names (without weights), its tokenizer, and its `name@revision`.

    Args:
        source: Hub id or folder of the archive.
        config: what the archive says of the model.
        weights: size of the archive's tensors in bytes.
    """
    beside = Path(source, "hub", config.encoder)
    place = str(beside) if is_folder(source) and beside.is_dir() else config.encoder
    try:
        with QuietTransformers():
            settings = load_config(place)
            tokenizer = pretrained(transformers.AutoTokenizer, place)
            build = partial(transformers.AutoModel.from_config, settings, dtype=torch.float32, trust_remote_code=False)
            check_claim(build, place, weights)
            with no_init_weights():
                encoder = build()
    except Exception as error:  # a damaged file can make the loaders fail in any way
        if is_out_of_memory(error):
            raise load_failure(place, error) from error
        if place != config.encoder or "trust_remote_code" in str(error):
            reason = cannot_load(place, error)
            raise CheckpointError(f"cannot load config and tokenizer of the encoder: {reason}") from error
        here = f"it is not in {str(beside)!r}, " if is_folder(source) else "it is "
        raise CheckpointError(
            f"cannot load config and tokenizer of the encoder {config.encoder!r}: {here}not in the local Hub cache "
            f"and cannot be downloaded. On a connected machine type `hf download {config.encoder}`"
        ) from error
    if hasattr(encoder, "pooler"):
        encoder.pooler = None  # a head for whole texts, not needed for word vectors
    return encoder, tokenizer, identity(place, settings, config.encoder)


def _special_tokens(tokenizer: Any, name: str) -> tuple[int, int]:
    """Return the tokens at the beginning and at the end of every window."""
    special = tokenizer("")["input_ids"]
    if len(special) != 2:
        raise CheckpointError(f"the tokenizer of {name!r} adds {len(special)} special tokens to a text, expected 2")
    return special[0], special[1]
