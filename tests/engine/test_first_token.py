"""A last layer for the first token only returns the same vector as the whole layer."""

import copy

import pytest


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global BertConfig, BertModel, keep_first_token, torch
    import torch
    from transformers import BertConfig, BertModel

    from radeval_core.engine.first_token import keep_first_token


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("padded", [False, True])
def test_the_first_token_has_the_same_vector(attention, padded):
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=3, num_attention_heads=4, intermediate_size=32,
        max_position_embeddings=32, initializer_range=0.5, attn_implementation=attention,
    )  # fmt: skip
    whole = BertModel(config, add_pooling_layer=False).eval()
    short = copy.deepcopy(whole)
    keep_first_token(short)
    ids = torch.randint(5, 50, (4, 9))
    mask = torch.ones_like(ids)
    if padded:
        for row, length in enumerate((9, 5, 2, 1)):
            mask[row, length:] = 0
    with torch.inference_mode():
        expected = whole(input_ids=ids, attention_mask=mask).last_hidden_state[:, :1]
        torch.testing.assert_close(short(input_ids=ids, attention_mask=mask).last_hidden_state, expected)
