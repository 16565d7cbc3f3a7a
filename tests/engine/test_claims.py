"""A config that claims a huge model is refused in one line, before there is memory for it."""

import json
import resource
import shutil
from pathlib import Path

import pytest

from radeval_core.errors import CheckpointError

HUGE = 10**9
PARITY = Path(__file__).parents[1] / "parity"
#: memory that a refused model may take, in kB; its claims are for terabytes
ROOM = 300_000


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Make tiny checkpoints: an encoder, two language models and a detector."""
    import transformers

    from tiny_checkpoints import make_tiny_bert
    from tiny_detector import make_tiny_detector

    folder = tmp_path_factory.mktemp("models")
    (folder / "bert").mkdir()
    make_tiny_bert(folder / "bert", ["The heart is normal."])
    shape = {"vocab_size": 40, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    qwen = transformers.Qwen2Config(**shape, num_key_value_heads=2, intermediate_size=8)
    transformers.Qwen2ForCausalLM(qwen).save_pretrained(folder / "qwen")
    gpt2 = transformers.GPT2Config(vocab_size=40, n_positions=64, n_embd=8, n_layer=2, n_head=2)
    transformers.GPT2LMHeadModel(gpt2).save_pretrained(folder / "gpt2")
    make_tiny_detector(folder / "detr")
    return folder


def load_bert(folder):
    import torch

    from radeval_core.engine.checkpoints import load_encoder

    return load_encoder(str(folder), None, torch.float32, str(folder))


def load_judge(folder):
    import torch

    from radeval_core.judges.backends.transformers_backend import load_causal_lm

    return load_causal_lm(str(folder), torch.float32, None)


def load_detr(folder):
    from radeval_core.annotators.region_detector import load_detector

    return load_detector(str(folder))


def changed(models, tmp_path, name, **claims):
    folder = shutil.copytree(models / name, tmp_path / name)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **claims}))
    return folder


def refusal(load, folder):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CheckpointError) as raised:
        load(folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < ROOM
    text = str(raised.value)
    assert "\n" not in text and "config.json" in text and "it was not loaded" in text
    return text


@pytest.mark.parametrize(
    ("load", "name", "claims"),
    [
        (load_bert, "bert", {"hidden_size": HUGE, "num_attention_heads": 1}),
        (load_bert, "bert", {"intermediate_size": HUGE}),
        (load_bert, "bert", {"vocab_size": HUGE}),
        (load_bert, "bert", {"max_position_embeddings": HUGE}),
        (load_bert, "bert", {"num_hidden_layers": 90_000}),
        (load_judge, "qwen", {"hidden_size": HUGE}),
        (load_judge, "qwen", {"num_hidden_layers": 90_000, "layer_types": None}),
        (load_judge, "gpt2", {"n_embd": HUGE}),
        (load_detr, "detr", {"d_model": HUGE}),
        (load_detr, "detr", {"decoder_ffn_dim": HUGE}),
    ],
)
def test_a_width_that_the_weights_cannot_hold(models, tmp_path, load, name, claims):
    assert "too large for its weights" in refusal(load, changed(models, tmp_path, name, **claims))


@pytest.mark.parametrize(
    ("load", "name", "claims"),
    [
        (load_bert, "bert", {"num_hidden_layers": HUGE}),
        (load_bert, "bert", {"num_labels": HUGE}),
        (load_judge, "qwen", {"num_hidden_layers": HUGE}),
        (load_judge, "gpt2", {"n_layer": HUGE}),
        (load_detr, "detr", {"encoder_layers": 1e300}),
        (load_detr, "detr", {"backbone_config": {"model_type": "resnet", "depths": [3, HUGE]}}),
    ],
)
def test_a_count_that_no_model_has(models, tmp_path, load, name, claims):
    """Some configs make a list per layer or label when they are read: these are refused by name, even before."""
    assert "more than any model has" in refusal(load, changed(models, tmp_path, name, **claims))


def test_without_weights_the_memory_of_the_machine_is_the_limit(models, tmp_path):
    folder = changed(models, tmp_path, "bert", hidden_size=HUGE)
    for file in folder.glob("*.safetensors"):
        file.unlink()
    assert "too large for the memory of this machine" in refusal(load_bert, folder)


def test_a_whole_model_is_loaded_and_its_layers_can_be_fewer(models):
    import torch

    from radeval_core.engine.checkpoints import load_encoder

    model, _, _ = load_bert(models / "bert")
    assert not any(parameter.is_meta for parameter in model.parameters())
    model, _, _ = load_encoder(str(models / "bert"), 1, torch.float32, "bert")
    assert len(model.encoder.layer) == 1


def test_modules_of_other_threads_are_not_counted():
    from threading import Thread

    import torch

    from radeval_core.engine.claims import check_claim

    def build():
        other = Thread(target=lambda: torch.nn.Linear(20_000, 20_000, device="meta"))
        other.start()
        other.join()
        torch.nn.Linear(2, 2)

    check_claim(build, "nowhere", weights=100)
    with pytest.raises(CheckpointError, match=r"nowhere: config\.json claims a model that is too large"):
        check_claim(lambda: torch.nn.Linear(20_000, 20_000), "nowhere", weights=100)


def test_chexbert_and_radgraph_compare_with_their_own_weights(tmp_path):
    from radeval_core.annotators.chexbert import load_chexbert
    from radeval_core.annotators.radgraph import RadGraphAnnotator

    for name, load in (("chexbert", load_chexbert), ("radgraph", lambda folder: RadGraphAnnotator(folder, "cpu"))):
        folder = shutil.copytree(PARITY / name, tmp_path / name)
        for config in folder.rglob("config.json"):
            config.write_text(json.dumps({**json.loads(config.read_text()), "vocab_size": HUGE}))
        assert "too large for its weights" in refusal(lambda f, load=load: load(str(f)), folder)
