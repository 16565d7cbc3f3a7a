"""RadGraph's scoring nets, which add up projections, equal the same nets computed span by span and pair by pair."""

import math
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global radgraph_model, SpanModel, SpanModelConfig, torch
    import torch

    from radeval_core.annotators import radgraph_model
    from radeval_core.annotators.radgraph_archive import SpanModelConfig
    from radeval_core.annotators.radgraph_model import SpanModel


def plain_net(tensors, hidden, output, x):
    i = 0
    while f"{hidden}._linear_layers.{i}.weight" in tensors:
        layer = f"{hidden}._linear_layers.{i}"
        x = (x @ tensors[f"{layer}.weight"].T + tensors[f"{layer}.bias"]).clamp(min=0)
        i += 1
    return x @ tensors[f"{output}.weight"].T + tensors[f"{output}.bias"]


def plain_reading(config, tensors, vectors):
    """Compute entities and relations of one report, span by span and pair by pair."""
    ner, rel = f"{config.kind}__ner_labels", f"{config.kind}__relation_labels"
    widths = tensors["_endpoint_span_extractor._span_width_embedding.weight"]
    n = len(vectors)
    spans = [(i, j) for i in range(n) for j in range(i, min(n, i + config.max_span_width))]
    x = torch.stack([torch.cat([vectors[i], vectors[j], widths[j - i]]) for i, j in spans])
    scores = plain_net(tensors, f"_ner._ner_scorers.{ner}.0._module", f"_ner._ner_scorers.{ner}.1._module", x)
    labels = torch.cat([torch.zeros(len(x), 1), scores], dim=1).argmax(1).tolist()
    pruner = f"_relation._mention_pruners.{rel}._scorer"
    m = plain_net(tensors, f"{pruner}.0._module", f"{pruner}.1._module", x).squeeze(1)
    kept = sorted(m.topk(min(len(spans), max(1, math.ceil(n * config.spans_per_word)))).indices.tolist())
    number = {span: i for i, span in enumerate(s for s, label in enumerate(labels) if label)}
    relations = []
    for a in kept:
        for b in kept:
            pair = torch.cat([x[a], x[b], x[a] * x[b]])[None]
            names = f"_relation._relation_feedforwards.{rel}", f"_relation._relation_scorers.{rel}"
            score = plain_net(tensors, *names, pair)[0] + m[a] + m[b]
            best = int(torch.cat([torch.zeros(1), score]).argmax())
            if best and labels[a] and labels[b]:
                relations.append((number[a], best - 1, number[b]))
    found = [(*spans[s], labels[s] - 1) for s in number]
    return found, relations


@pytest.mark.parametrize(("hidden", "width", "share"), [((6, 5), 3, 0.5), ((4,), 1, 0.2), ((7, 3, 5), 8, 2.0)])
def test_decomposed_nets_equal_plain_ones(hidden, width, share):
    config = SpanModelConfig("org/encoder", "bert", 64, width, 2, share, hidden, "tiny", ("A", "B"), ("r", "s", "t"))
    encoder = torch.nn.Module()
    encoder.config = SimpleNamespace(hidden_size=4)
    generator = torch.Generator().manual_seed(len(hidden))
    tensors = {name: torch.randn(shape, generator=generator) for name, shape in shapes(config, 4).items()}
    model = SpanModel(config, encoder, tensors, "tiny")
    words = [9, 1, 4, 30]
    vectors = torch.randn(sum(words), 4, generator=generator)
    start = entities = relations = 0
    for n, got in zip(words, model.read(vectors, words), strict=True):
        found, related = plain_reading(config, tensors, vectors[start : start + n])
        assert list(zip(got.first, got.last, got.labels, strict=True)) == found
        assert got.relations == related
        start, entities, relations = start + n, entities + len(found), relations + len(related)
    assert entities > 5 and relations > 5


def test_far_candidates_of_a_very_long_report_are_not_compared(monkeypatch):
    """All candidates of reports up to about 2,000 words are compared; here the limit is 5 candidates."""
    config = SpanModelConfig("org/encoder", "bert", 64, 1, 2, 2.0, (4,), "tiny", ("A",), ("r",))
    encoder = torch.nn.Module()
    encoder.config = SimpleNamespace(hidden_size=4)
    tensors = {name: torch.zeros(shape) for name, shape in shapes(config, 4).items()}
    for scorer in ("_ner._ner_scorers.tiny__ner_labels.1._module", "_relation._relation_scorers.tiny__relation_labels"):
        tensors[f"{scorer}.bias"] += 1  # every word an entity, every pair related
    model = SpanModel(config, encoder, tensors, "tiny")
    monkeypatch.setattr(radgraph_model, "EVERY_PAIR", 5)
    monkeypatch.setattr(radgraph_model, "NEIGHBOURS", 2)
    long, short = model.read(torch.zeros(11, 4), [6, 5])
    assert {(s, t) for s, _, t in long.relations} == {(s, t) for s in range(6) for t in range(6) if abs(s - t) <= 2}
    assert len(short.relations) == 25


def shapes(config, size):
    """Return the names and shapes of the tensors of a model without its encoder."""
    span = 2 * size + config.feature_size
    ner, rel = f"{config.kind}__ner_labels", f"{config.kind}__relation_labels"
    nets = [
        (f"_ner._ner_scorers.{ner}.0._module", f"_ner._ner_scorers.{ner}.1._module", span, len(config.ner_labels)),
        (
            f"_relation._mention_pruners.{rel}._scorer.0._module",
            f"_relation._mention_pruners.{rel}._scorer.1._module",
            span,
            1,
        ),
        (
            f"_relation._relation_feedforwards.{rel}",
            f"_relation._relation_scorers.{rel}",
            3 * span,
            len(config.relation_labels),
        ),
    ]
    found = {"_endpoint_span_extractor._span_width_embedding.weight": (config.max_span_width, config.feature_size)}
    for hidden, output, before, labels in nets:
        for i, width in enumerate(config.hidden):
            found[f"{hidden}._linear_layers.{i}.weight"] = (width, before)
            found[f"{hidden}._linear_layers.{i}.bias"] = (width,)
            before = width
        found[f"{output}.weight"], found[f"{output}.bias"] = (labels, before), (labels,)
    return found
