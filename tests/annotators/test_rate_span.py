"""Choosing entities among candidate spans."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global best_spans, CLASSES, read_sizes, SPAN, torch
    import torch

    from radeval_core.annotators.rate_span import CLASSES, SPAN, best_spans, read_sizes


def chances(**by_class):
    """Return a row of probabilities; what is not given is shared by the other classes."""
    rest = (1 - sum(by_class.values())) / (6 - len(by_class))
    return [by_class.get(name.replace("-", "_"), rest) for name in CLASSES]


SPANS = [(1, 1, 0), (1, 2, 1), (2, 2, 0), (3, 3, 0)]


def test_of_overlapping_spans_the_most_probable_is_kept():
    rows = torch.tensor([chances(DISEASE=0.6), chances(ABNORMALITY=0.9), chances(ANATOMY=0.7), chances(ANATOMY=0.8)])
    assert best_spans(SPANS, rows) == [(1, 3, "ABNORMALITY"), (3, 4, "ANATOMY")]


def test_upstream_keeps_overlapping_spans():
    rows = torch.tensor([chances(DISEASE=0.6), chances(ABNORMALITY=0.9), chances(O=0.7), chances(O=0.8)])
    assert best_spans(SPANS, rows, overlapping=True) == [(1, 2, "DISEASE"), (1, 3, "ABNORMALITY")]


def test_no_entity():
    assert best_spans(SPANS, torch.tensor([chances(O=0.9)] * 4)) == []
    assert best_spans([], torch.zeros(0, 6)) == []


@pytest.mark.parametrize("change", [{"max_width": 0}, {"head_width": "8"}, {"classes": ["O"]}])
def test_wrong_sizes_are_refused(change):
    from types import SimpleNamespace

    from radeval_core.errors import CheckpointError

    right = {"max_width": 8, "width_size": 4, "head_width": 8, "classes": list(CLASSES)}
    assert read_sizes(SimpleNamespace(**{SPAN: right}), "x").max_width == 8
    with pytest.raises(CheckpointError, match="radeval_span"):
        read_sizes(SimpleNamespace(**{SPAN: {**right, **change}}), "x")
