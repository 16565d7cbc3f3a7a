"""The span scheme of RaTE-NER: an encoder, and a classifier of the spans of a sentence's words.

A span is represented by the vectors of its first and last token and by an embedding of its width in words, and
classified by a small network as one of five types or as no entity: the entity model of PURE (Zhong and Chen 2021), with
the sizes of the RaTEScore paper (appendix A.9). All spans up to a maximum width are candidates.

A folder has `config.json` (of the encoder, with the sizes under `radeval_span`), `model.safetensors` (all tensors), and
the files of the tokenizer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
import transformers
from safetensors.torch import load_file
from tokenizers import Encoding, Tokenizer
from torch import nn
from tqdm import tqdm

from radeval_core.annotators.rate_decoding import TokenSpan
from radeval_core.annotators.rate_ner import TYPE_OF, RateNer, RateReport, read_tokenizer, token_limit
from radeval_core.engine.checkpoints import identity, loading, pretrained
from radeval_core.engine.claims import check_claim, load_config
from radeval_core.engine.files import checkpoint_file
from radeval_core.engine.forward import TokenIds
from radeval_core.engine.tensors import fill
from radeval_core.errors import CheckpointError
from radeval_core.functional.iob import WORD

#: where config.json has the sizes of the classifier
SPAN = "radeval_span"
WEIGHTS = "model.safetensors"
#: classes in the order of the outputs; the first is no entity
CLASSES = ("O", *TYPE_OF)
#: sentences whose vectors are kept at once
_CHUNK = 1024


@dataclass(frozen=True)
class SpanSizes:
    """The sizes of the classifier.

    Attributes:
        max_width: words in the widest span.
        width_size: size of the embedding of a width.
        head_width: size of the two hidden layers.
    """

    max_width: int
    width_size: int
    head_width: int


class SpanModel(nn.Module):
    """An encoder with a classifier of spans.

    Args:
        encoder: a transformers encoder.
        sizes: of the classifier.
    """

    def __init__(self, encoder: Any, sizes: SpanSizes) -> None:
        super().__init__()
        self.encoder, self.sizes = encoder, sizes
        self.config = encoder.config
        self.widths = nn.Embedding(sizes.max_width, sizes.width_size)
        hidden = sizes.head_width
        self.head = nn.Sequential(
            nn.Linear(2 * encoder.config.hidden_size + sizes.width_size, hidden),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(hidden, len(CLASSES)),
        )

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        spans: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
    ) -> Any:
        """Return the encoder's output; with spans, their `logits`, and with labels also the `loss`.

        Args:
            input_ids: tokens of each sentence.
            attention_mask: 1 for tokens, 0 for padding.
            spans: first token, last token and width in words, minus 1, of each candidate: sentences x candidates x 3.
            labels: class of each candidate; -100 for padding.
        """
        output = self.encoder(input_ids=input_ids, attention_mask=attention_mask)
        if spans is None:
            return output
        logits = self.classify(output.last_hidden_state, spans)
        if labels is None:
            return {"logits": logits}
        return {"loss": nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()), "logits": logits}

    def classify(self, states: torch.Tensor, spans: torch.Tensor) -> torch.Tensor:
        """Return the logits of spans, from the vectors of the tokens of their sentences."""
        size = states.shape[-1]
        first, last = (states.gather(1, spans[..., i : i + 1].expand(-1, -1, size)) for i in (0, 1))
        logits: torch.Tensor = self.head(torch.cat([first, last, self.widths(spans[..., 2])], dim=-1))
        return logits


def candidates(text: str, encoded: Encoding, max_width: int) -> list[tuple[int, int, int]]:
    """Return first token, last token and width minus 1 of the spans of a sentence; words that were cut are left out."""
    at_character: dict[int, int] = {}
    for token, (start, end) in enumerate(encoded.offsets):
        for character in range(start, end):
            at_character.setdefault(character, token)
    words = [
        (at_character[word.start()], at_character[word.end() - 1])
        for word in WORD.finditer(text)
        if word.start() in at_character and word.end() - 1 in at_character
    ]
    return [
        (first, words[i + width][1], width)
        for i, (first, _) in enumerate(words)
        for width in range(min(max_width, len(words) - i))
    ]


def best_spans(
    spans: Sequence[tuple[int, int, int]], probabilities: torch.Tensor, overlapping: bool = False
) -> list[TokenSpan]:
    """Return the entities among the candidates of a sentence, in the order of the text.

    Args:
        spans: the candidates.
        probabilities: candidates x classes.
        overlapping: keep every candidate that is most probably an entity, as PURE does. Else, of candidates that
            overlap, only the most probable one is kept.
    """
    if not spans:
        return []
    best, kinds = (column.tolist() for column in probabilities.max(dim=-1))
    kept: list[TokenSpan] = []
    for i in sorted((i for i, kind in enumerate(kinds) if kind), key=lambda i: -best[i]):
        first, after = spans[i][0], spans[i][1] + 1
        if overlapping or all(after <= start or end <= first for start, end, _ in kept):
            kept.append((first, after, CLASSES[kinds[i]]))
    return sorted(kept)


def is_span_model(source: str) -> bool:
    """Return True if a checkpoint is of the span scheme."""
    with loading(source):
        return hasattr(load_config(source), SPAN)


def span_config(config: Any, sizes: SpanSizes) -> dict[str, Any]:
    """Return the content of `config.json`."""
    return {**config.to_dict(), "architectures": ["SpanModel"], SPAN: {**asdict(sizes), "classes": list(CLASSES)}}


def read_sizes(config: Any, source: str) -> SpanSizes:
    """Return the sizes that a config states, after a check."""
    stated: Any = getattr(config, SPAN)
    names = SpanSizes.__dataclass_fields__
    if (
        not isinstance(stated, Mapping)
        or stated.get("classes") != list(CLASSES)
        or any(type(stated.get(name)) is not int or not 1 <= stated[name] <= 100_000 for name in names)
    ):
        raise CheckpointError(
            f"config.json of {source}: {SPAN!r} must have {', '.join(names)} as whole numbers, and the classes "
            f"{', '.join(CLASSES)}"
        )
    return SpanSizes(**{name: stated[name] for name in names})


class SpanNer(RateNer):
    """An annotator that finds the entities of reports with a model of the span scheme."""

    model: SpanModel

    def read_checkpoint(self) -> None:
        with loading(self.source):
            config = load_config(self.source)
            sizes = read_sizes(config, self.source)

            def build() -> SpanModel:
                encoder = transformers.AutoModel.from_config(config, trust_remote_code=False)
                return SpanModel(encoder, sizes)

            check_claim(build, self.source)
            built = pretrained(transformers.AutoTokenizer, self.source)
            file = checkpoint_file(self.source, WEIGHTS)
            self.model = build()
            fill(self.model, load_file(file), str(file))
        self.model_name = identity(self.source, config, self.name or self.source)
        self.max_tokens = token_limit(config)
        self.tokenizer: Tokenizer = read_tokenizer(self.source, built, self.max_tokens)
        self.model.eval().to(self.where, self.torch_dtype)
        self.make_loop(self.model, built.pad_token_id)

    @property
    def identity(self) -> str:
        return f"{super().identity}|scheme:span"

    @property
    def fields(self) -> dict[str, object]:
        """Return what a signature says of the annotator."""
        return {**super().fields, "scheme": "span"}

    def read_sentences(self, sentences: list[str]) -> list[RateReport]:
        """Return the entities of each sentence; positions count from its start."""
        reports: list[RateReport] = []
        with tqdm(
            total=len(sentences), desc="entities", unit="sentence", leave=False, disable=None if self.progress else True
        ) as bar:
            for at in range(0, len(sentences), _CHUNK):
                chunk = sentences[at : at + _CHUNK]
                encoded = self.tokenizer.encode_batch(chunk)
                states = self.loop.run_tokens([e.ids for e in encoded], _states, bar)
                reports += [self._read(*row) for row in zip(chunk, encoded, states, strict=True)]
        return reports

    def _read(self, sentence: str, encoded: Encoding, states: torch.Tensor) -> RateReport:
        spans = candidates(sentence, encoded, self.model.sizes.max_width)
        found: list[TokenSpan] = []
        if spans:
            with torch.inference_mode():
                logits = self.model.classify(states[None], torch.tensor(spans, device=states.device)[None])[0]
            found = best_spans(spans, logits.float().softmax(dim=-1), self.decoding == "upstream")
        return self.joined(sentence, encoded, found)


def _states(output: Any, rows: list[TokenIds]) -> list[torch.Tensor]:
    """Return the vectors of the tokens of each sentence."""
    return [output.last_hidden_state[i, : len(row)].clone() for i, row in enumerate(rows)]
