"""The faster attention of DeBERTa-v3 returns the same numbers as transformers' version."""

import copy

import pytest

#: the settings of microsoft/deberta-v3-base, made small
V3 = {
    "relative_attention": True,
    "position_buckets": 256,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "max_relative_positions": -1,
    "position_biased_input": False,
    "max_position_embeddings": 512,
    "type_vocab_size": 0,
    "layer_norm_eps": 1e-7,
}


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global BertConfig, BertModel, DebertaV2Config, DebertaV2ForTokenClassification, DistanceAttention
    global speed_up_deberta, torch
    import torch
    from transformers import BertConfig, BertModel, DebertaV2Config, DebertaV2ForTokenClassification

    from radeval_core.engine.deberta import DistanceAttention, speed_up_deberta


def tagger(**settings):
    torch.manual_seed(0)
    config = DebertaV2Config(
        vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, num_labels=11,
        initializer_range=0.2, **(V3 | settings),
    )  # fmt: skip
    return DebertaV2ForTokenClassification(config).eval()


def logits(model, length, padded):
    torch.manual_seed(1)
    ids, mask = torch.randint(1, 50, (3, length)), torch.ones(3, length, dtype=torch.long)
    mask[1, length - padded :] = 0
    with torch.inference_mode():
        return model(input_ids=ids, attention_mask=mask).logits[mask.bool()]


@pytest.mark.parametrize("length, padded", [(1, 0), (2, 1), (10, 4), (127, 0), (128, 5), (129, 0), (300, 90), (512, 1)])
def test_same_numbers(length, padded):
    plain = tagger()
    fast = copy.deepcopy(plain)
    assert speed_up_deberta(fast)
    torch.testing.assert_close(logits(fast, length, padded), logits(plain, length, padded), atol=1e-5, rtol=1e-5)


def test_the_order_of_position_terms_does_not_matter():
    plain = tagger(pos_att_type=["c2p", "p2c"])
    fast = copy.deepcopy(plain)
    assert speed_up_deberta(fast)
    torch.testing.assert_close(logits(fast, 20, 3), logits(plain, 20, 3), atol=1e-5, rtol=1e-5)


def test_padding_changes_nothing():
    fast = tagger()
    speed_up_deberta(fast)
    ids = torch.arange(1, 9)[None]
    padded = torch.cat([ids, torch.zeros(1, 30, dtype=torch.long)], dim=1)
    with torch.inference_mode():
        alone = fast(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
        beside = fast(input_ids=padded, attention_mask=(padded > 0).long()).logits[:, :8]
    torch.testing.assert_close(alone, beside, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "settings",
    [
        {"relative_attention": False, "pos_att_type": []},
        {"share_att_key": False},
        {"pos_att_type": ["c2p"]},
        {"position_buckets": -1},
    ],
)
def test_other_settings_are_left_alone(settings):
    model = tagger(**settings)
    before = logits(model, 12, 2)
    assert not speed_up_deberta(model)
    assert not any(isinstance(m, DistanceAttention) for m in model.modules())
    torch.testing.assert_close(logits(model, 12, 2), before, atol=0, rtol=0)


def test_other_models_and_models_in_training_are_left_alone():
    small = BertConfig(vocab_size=9, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
    assert not speed_up_deberta(BertModel(small).eval())
    assert not speed_up_deberta(tagger().train())


def test_the_table_is_projected_once():
    model = tagger()
    speed_up_deberta(model)
    seen = []
    for layer in model.deberta.encoder.layer:
        layer.attention.self.key_proj.register_forward_hook(lambda _, args, out: seen.append(args[0].shape))
    logits(model, 7, 0)
    assert seen == [(3, 7, 32)] * 2
