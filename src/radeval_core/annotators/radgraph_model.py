"""RadGraph's span model: turns word vectors into entities and relations, for many reports at once.

A span of words i to j is X = [E_i ; E_j ; W(width)]. The first layer of a net on X is a sum of three parts, so each
word is projected once and spans add up the projections; the matrix of all spans is never built. Relations are scored
only between entities, because other spans cannot be in the result. Of the pair's features [X_i ; X_j ; X_i * X_j],
the product is most of the work; it is computed once for both directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from radeval_core.annotators.radgraph_archive import SpanModelConfig
from radeval_core.engine.tensors import fill
from radeval_core.errors import CheckpointError

#: spans, and pairs of spans, scored at once: limits memory, and on a CPU keeps the data in its caches
_SPANS_AT_ONCE = 16_384
_PAIRS_AT_ONCE = {"cpu": 1024, "mps": 16_384, "cuda": 16_384}
#: All pairs of candidates for relations are compared, up to EVERY_PAIR candidates per report (about 2,000 words). In
#: longer reports the cost would grow quadratically, so each candidate is compared only with the NEIGHBOURS candidates
#: before and after it, which span well over a hundred words.
EVERY_PAIR = 1024
NEIGHBOURS = 64
#: numbers that are claimed without harm
_SMALL = 1 << 20
#: tensors in the file that entities and relations do not need; older encoders also stored position ids
_UNUSED = ("_coref.", "_events.")
_UNUSED_OF_ENCODER = ("pooler.", "embeddings.position_ids")


@dataclass(frozen=True)
class ReportSpans:
    """The entities of one report as spans of words, in order, and the relations between them.

    Attributes:
        first: index of the first word of each entity.
        last: index of the last word of each entity.
        labels: index of the label of each entity.
        relations: (source entity, label, target entity) as indices, sorted by source, then target.
    """

    first: list[int]
    last: list[int]
    labels: list[int]
    relations: list[tuple[int, int, int]]


class SpanModel(nn.Module):
    """The encoder and the scoring nets of an archive, with the parameter names of the archive.

    Args:
        config: the archive's settings.
        encoder: an encoder of the architecture named there, without weights.
        tensors: the archive's tensors by name.
        where: the file's name in messages.
    """

    def __init__(self, config: SpanModelConfig, encoder: Any, tensors: dict[str, Any], where: str) -> None:
        super().__init__()
        self.max_width = config.max_span_width
        self.spans_per_word = config.spans_per_word
        span = 2 * encoder.config.hidden_size + config.feature_size
        _check_widths(config, span, tensors, where)
        ner, relation = f"{config.kind}__ner_labels", f"{config.kind}__relation_labels"
        encoder_name = f"_embedder.token_embedder_{config.embedder}._matched_embedder.transformer_model"
        file = nn.Module()
        self.encoder = _put(file, encoder_name, encoder)
        self.widths = _put(
            file,
            "_endpoint_span_extractor._span_width_embedding",
            nn.Embedding(config.max_span_width, config.feature_size),
        )
        names = {
            "ner": (f"_ner._ner_scorers.{ner}.0._module", f"_ner._ner_scorers.{ner}.1._module"),
            "pruner": (
                f"_relation._mention_pruners.{relation}._scorer.0._module",
                f"_relation._mention_pruners.{relation}._scorer.1._module",
            ),
            "relation": (
                f"_relation._relation_feedforwards.{relation}",
                f"_relation._relation_scorers.{relation}",
            ),
        }
        sizes = {
            "ner": (span, len(config.ner_labels)),
            "pruner": (span, 1),
            "relation": (3 * span, len(config.relation_labels)),
        }
        for net, labels in (("ner", ner), ("relation", relation)):
            _check_labels(tensors, names[net][1], sizes[net][1], labels, where)
        self.nets = {net: _net(file, *names[net], *sizes[net], config.hidden) for net in names}
        fill(file, tensors, where, unused=(*_UNUSED, *(f"{encoder_name}.{name}" for name in _UNUSED_OF_ENCODER)))
        self.file = file.eval()

    @torch.inference_mode()
    def read(self, vectors: Tensor, words: Sequence[int]) -> list[ReportSpans]:
        """Find the entities and relations of reports.

        Args:
            vectors: one row per word, with the words of all reports one after the other.
            words: the number of words of each report, at least 1.
        """
        device = vectors.device
        lengths = torch.tensor(words, device=device)
        after = lengths.cumsum(0)
        report_end = after.repeat_interleave(lengths)  # per word
        first, width = self._spans(report_end)
        label, score = self._entities(vectors, first, width)
        kept = self._prune(score, words, after, first)
        chosen = (kept & (label > 0)).nonzero().squeeze(1)
        source, kind, target = self._relations(vectors, first[chosen], width[chosen], score[chosen], report_end)
        entities = (label > 0).nonzero().squeeze(1)
        place = torch.empty_like(label)
        place[entities] = torch.arange(len(entities), device=device)
        relations = torch.stack([place[chosen[source]], kind, place[chosen[target]]], dim=1)
        return _reports(first[entities], width[entities], label[entities] - 1, relations, after)

    def _spans(self, report_end: Tensor) -> tuple[Tensor, Tensor]:
        """Return the first word and the width (0 for one word) of all spans, sorted by first word, then width."""
        word = torch.arange(len(report_end), device=report_end.device)[:, None]
        width = torch.arange(self.max_width, device=report_end.device)[None, :]
        inside = word + width < report_end[:, None]
        return word.expand_as(inside)[inside], width.expand_as(inside)[inside]

    def _entities(self, vectors: Tensor, first: Tensor, width: Tensor) -> tuple[Tensor, Tensor]:
        """Return the label of each span (from 1; 0 means no entity) and its score as a candidate for relations."""
        nets = self.nets["ner"], self.nets["pruner"]
        size = vectors.shape[1]
        weight = torch.cat([net[0].weight for net in nets])
        bias = torch.cat([net[0].bias for net in nets])
        of_first, of_last = vectors @ weight[:, :size].T, vectors @ weight[:, size : 2 * size].T
        of_width = self.widths.weight @ weight[:, 2 * size :].T + bias
        labels, scores = [], []
        for i, w in zip(first.split(_SPANS_AT_ONCE), width.split(_SPANS_AT_ONCE), strict=True):
            hidden = of_first[i].add_(of_last[i + w]).add_(of_width[w]).relu_()
            ner, pruner = hidden.split([net[0].out_features for net in nets], dim=1)
            labels.append(_best_label(_rest(nets[0], ner)))
            scores.append(_rest(nets[1], pruner).squeeze(1))
        return torch.cat(labels), torch.cat(scores)

    def _prune(self, score: Tensor, words: Sequence[int], after: Tensor, first: Tensor) -> Tensor:
        """Mark the best-scored spans of each report, the candidates for relations."""
        # in float32, to round like the published models
        wanted = (torch.tensor(words, dtype=torch.float32) * self.spans_per_word).ceil().clamp(min=1).long().tolist()
        ends = torch.searchsorted(first, after).tolist()
        kept = torch.zeros(len(score), dtype=torch.bool, device=score.device)
        start = 0
        for end, count in zip(ends, wanted, strict=True):
            best = score[start:end].sort(descending=True, stable=True).indices[:count]
            kept[start + best] = True
            start = end
        return kept

    def _relations(
        self, vectors: Tensor, first: Tensor, width: Tensor, score: Tensor, report_end: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return source, label and target of all relations between the given spans, within each report."""
        net = self.nets["relation"]
        spans = torch.cat([vectors[first], vectors[first + width], self.widths(width)], dim=1)
        source_weight, target_weight, product_weight = net[0].weight.split(spans.shape[1], dim=1)
        as_source, as_target = spans @ source_weight.T + net[0].bias, spans @ target_weight.T
        found = [first.new_empty(3, 0)]
        for i, j in _pairs(first, report_end):
            product = (spans[i] * spans[j]) @ product_weight.T
            other = (i != j).nonzero().squeeze(1)  # a span paired with itself has one direction
            source, target = torch.cat([i, j[other]]), torch.cat([j, i[other]])
            hidden = torch.cat([product, product[other]]).add_(as_source[source]).add_(as_target[target]).relu_()
            scores = _rest(net, hidden) + (score[source] + score[target])[:, None]
            label = _best_label(scores)
            related = label > 0
            found.append(torch.stack([source[related], label[related] - 1, target[related]]))
        all_found = torch.cat(found, dim=1)
        order = (all_found[0] * len(first) + all_found[2]).argsort()
        source, kind, target = all_found[:, order]
        return source, kind, target


def _pairs(first: Tensor, report_end: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield unordered pairs of spans of the same report, including a span with itself, in chunks."""
    at_once = _PAIRS_AT_ONCE[first.device.type]
    here = torch.arange(len(first), device=first.device)
    after = torch.searchsorted(first, report_end[first])  # the first span of the next report
    _, report, spans = after.unique_consecutive(return_inverse=True, return_counts=True)
    neighbours = torch.where(spans[report] > EVERY_PAIR, NEIGHBOURS, len(first))
    partners = torch.minimum(after, here + neighbours + 1) - here
    before = partners.cumsum(0)
    total = int(partners.sum())
    for start in range(0, total, at_once):
        number = torch.arange(start, min(start + at_once, total), device=first.device)
        i = torch.searchsorted(before, number, right=True)
        yield i, i + number - (before - partners)[i]


def _reports(first: Tensor, width: Tensor, label: Tensor, relations: Tensor, after: Tensor) -> list[ReportSpans]:
    """Split the results by report; indices of words and entities start at 0 in each report."""
    bounds = torch.searchsorted(first, after)
    relation_bounds = torch.searchsorted(relations[:, 0].contiguous(), bounds).tolist()
    last = (first + width).tolist()
    firsts, labels, rows = first.tolist(), label.tolist(), relations.tolist()
    reports = []
    start = words = relation = 0
    for end, next_words, next_relation in zip(bounds.tolist(), after.tolist(), relation_bounds, strict=True):
        reports.append(
            ReportSpans(
                first=[i - words for i in firsts[start:end]],
                last=[i - words for i in last[start:end]],
                labels=labels[start:end],
                relations=[(s - start, kind, t - start) for s, kind, t in rows[relation:next_relation]],
            )
        )
        start, words, relation = end, next_words, next_relation
    return reports


def _best_label(scores: Tensor) -> Tensor:
    """Return the best label, counted from 1, or 0 if no label scores above 0."""
    best = scores.max(dim=1)
    return torch.where(best.values > 0, best.indices + 1, 0)


def _rest(net: Sequence[nn.Linear], hidden: Tensor) -> Tensor:
    """Apply the layers of a net after its first."""
    for layer in net[1:-1]:
        hidden = layer(hidden).relu_()
    result: Tensor = net[-1](hidden)
    return result


def _net(
    file: nn.Module, hidden_name: str, output_name: str, size: int, outputs: int, hidden: tuple[int, ...]
) -> list[nn.Linear]:
    """Create the hidden layers and the output layer of a net under their names in the file."""
    layers = [
        _put(file, f"{hidden_name}._linear_layers.{i}", nn.Linear(before, width))
        for i, (before, width) in enumerate(zip((size, *hidden), hidden, strict=False))
    ]
    return [*layers, _put(file, output_name, nn.Linear(hidden[-1], outputs))]


def _put(root: nn.Module, path: str, module: Any) -> Any:
    """Add a module at a dotted path and return it."""
    *folders, name = path.split(".")
    for folder in folders:
        if not hasattr(root, folder):
            root.add_module(folder, nn.Module())
        root = root.get_submodule(folder)
    root.add_module(name, module)
    return module


def _check_widths(config: SpanModelConfig, span: int, tensors: dict[str, Any], where: str) -> None:
    """Refuse widths that claim more numbers than the archive has, before there is room for them."""
    claimed = config.max_span_width * config.feature_size
    claimed += sum(before * width for before, width in pairwise((3 * span, *config.hidden)))
    stored = sum(tensor.numel() for tensor in tensors.values() if isinstance(tensor, torch.Tensor))
    if claimed > max(stored, _SMALL):  # what is missing from a small claim is named when the tensors are loaded
        raise CheckpointError(
            f"{where} has {stored:,} numbers, but the archive's config.json claims {claimed:,}: it was not loaded"
        )


def _check_labels(tensors: dict[str, Any], scorer: str, count: int, file: str, where: str) -> None:
    """Raise an error if the number of labels differs from the number of scores."""
    weight = tensors.get(f"{scorer}.weight")
    if isinstance(weight, Tensor) and weight.ndim == 2 and len(weight) != count:
        raise CheckpointError(
            f"{where}: {f'{scorer}.weight'!r} scores {len(weight)} labels, but vocabulary/{file}.txt has {count}"
        )
