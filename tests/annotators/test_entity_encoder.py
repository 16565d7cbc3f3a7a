"""One vector per name, from a tiny MPNet in the published layout and from the embedded MiniLM."""

from pathlib import Path

import numpy as np
import pytest

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.engine.cache import DiskCache
from radeval_core.errors import CheckpointError, InputError

MPNET = str(Path(__file__).parents[1] / "parity" / "ratescore" / "encoder")
NAMES = ["pleural effusion", "heart", "", "The left lower lobe of the lung " * 20, "[UNK]", "½ Ödem 左", "HEART"]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global AutoModel, AutoTokenizer, EMBEDDED, EntityEncoder, MAX_TOKENS, torch
    import torch
    from transformers import AutoModel, AutoTokenizer

    from radeval_core.annotators.entity_encoder import EMBEDDED, MAX_TOKENS, EntityEncoder


@pytest.fixture(scope="module")
def encoder():
    return EntityEncoder(MPNET, pooling="cls", progress=False)


def test_unit_vectors_in_the_given_order(encoder):
    vectors = encoder.annotate([*NAMES, *NAMES[::-1]])
    np.testing.assert_allclose([np.linalg.norm(v) for v in vectors], 1, atol=1e-6)
    for one, other in zip(vectors, vectors[::-1], strict=True):
        np.testing.assert_array_equal(one, other)


def test_cls_is_the_first_token():
    model, tokenizer = AutoModel.from_pretrained(MPNET).eval(), AutoTokenizer.from_pretrained(MPNET)
    with torch.inference_mode():
        expected = model(**tokenizer("pleural effusion", return_tensors="pt")).last_hidden_state[0, 0].numpy()
    (got,) = EntityEncoder(MPNET, pooling="cls", progress=False).annotate(["pleural effusion"])
    np.testing.assert_allclose(got, expected / np.linalg.norm(expected), atol=1e-5)


def test_mean_leaves_padding_out():
    encoder = EntityEncoder(MPNET, pooling="mean", progress=False)
    (alone,) = encoder.annotate(["heart"])
    beside = encoder.annotate(["heart", "the left lower lobe of the lung and the heart"])[0]
    np.testing.assert_allclose(alone, beside, atol=1e-5)


@pytest.mark.parametrize("budget", [1, 40, 10_000])
def test_batches_do_not_matter(encoder, budget):
    other = EntityEncoder(MPNET, pooling="cls", batch_tokens=budget, progress=False)
    np.testing.assert_allclose(other.annotate(NAMES), encoder.annotate(NAMES), atol=1e-5)
    assert other.identity == encoder.identity


def test_names_are_truncated_after_30_tokens(encoder):
    assert max(map(len, encoder.token_ids(NAMES))) == MAX_TOKENS == 30


def test_equal_names_go_through_the_model_once(encoder, monkeypatch):
    rows = []
    monkeypatch.setattr(
        encoder.loop, "run_batch", lambda batch, collect: rows.extend(batch) or [np.ones(2)] * len(batch)
    )
    encoder.annotate(["heart"] * 50 + ["lung"])
    assert len(rows) == 2


def test_cache_round_trip(encoder, tmp_path, monkeypatch):
    first = AnnotationStore(DiskCache(tmp_path)).annotate(encoder, NAMES)
    monkeypatch.setattr(encoder, "annotate", lambda texts: pytest.fail("computed again"))
    again = AnnotationStore(DiskCache(tmp_path)).annotate(encoder, NAMES)
    for name in NAMES:
        np.testing.assert_array_equal(first[name], again[name])


@pytest.mark.e2e
def test_embedded_knows_synonyms():
    effusion, fluid, fracture = EntityEncoder(EMBEDDED, pooling="mean", progress=False).annotate(
        ["pleural effusion", "fluid in the pleural space", "rib fracture"]
    )
    assert effusion @ fluid > effusion @ fracture + 0.1


def test_pooling_is_in_the_identity():
    names = {EntityEncoder(MPNET, pooling=pooling, progress=False).identity for pooling in ("cls", "mean")}
    assert len(names) == 2


def test_bad_arguments():
    with pytest.raises(InputError, match=r"unknown pooling 'max': .*cls, mean"):
        EntityEncoder(MPNET, pooling="max")
    with pytest.raises(CheckpointError, match="hf download nobody/nothing"):
        EntityEncoder("nobody/nothing", pooling="cls")
