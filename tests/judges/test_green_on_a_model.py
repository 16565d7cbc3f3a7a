"""The metric `green` with a local causal model."""

import math

import pytest
from tiny_families import FAMILIES, make_tiny_model

from radeval_core import load
from radeval_core.errors import CheckpointError
from radeval_core.judges.green import instructions
from tiny_llama import make_tiny_llama


def test_a_folder_with_a_causal_model_is_asked(tmp_path, monkeypatch):
    """A tiny random model gives no sensible answer: the pair is unscored, and details contain answer and reason."""
    monkeypatch.setattr(instructions, "MAX_ANSWER", 4)
    folder = make_tiny_llama(tmp_path / "tiny", ["Small effusion. No pneumothorax."], context=4096)
    result = load("green", str(folder), device="cpu").compute(["Effusion."], ["No effusion."], detailed=True)
    assert result["unscored"] == 1 and math.isnan(result["green"])
    assert "|backend:transformers|model:tiny@" in result["signature"] and "|decoding:greedy" in result["signature"]
    assert "|context:4096|" in result["signature"]
    assert result["details"][0]["reason"] and result["details"][0]["answer"]


def test_examples_are_shown_to_a_local_model(tmp_path, monkeypatch):
    """The prompt with an example is longer than the limit of the published checkpoints, which is not applied to it."""
    monkeypatch.setattr(instructions, "MAX_ANSWER", 4)
    folder = make_tiny_llama(tmp_path / "tiny", ["Small effusion. No pneumothorax."], context=16_384)
    metric = load("green", str(folder), device="cpu", shots=1)
    result = metric.compute(["Effusion."], ["No effusion."], detailed=True)
    assert "|prompt:green-1-shot-1@" in result["signature"]
    assert result["details"][0]["answer"] and "the prompt has" not in result["details"][0]["reason"]


@pytest.mark.parametrize("family", FAMILIES)
def test_phi_3_and_gemma_get_their_own_end_token(family, tmp_path, monkeypatch):
    """The authors' package ends turns with the end token of the model. Phi-3 and Gemma have another one than Llama."""
    from radeval_core.judges.backends.transformers_backend import TransformersBackend

    monkeypatch.setattr(instructions, "MAX_ANSWER", 4)
    folder = make_tiny_model(family, tmp_path / "tiny", ["Small effusion. No pneumothorax."])
    backend = TransformersBackend(str(folder), device="cpu")
    request = instructions.GreenInstructions().request("Effusion.", "No </s> <eos> <|endoftext|> effusion.")
    ids = backend.prompts.prompt(request).ids
    assert ids.count(backend.tokenizer.eos_token_id) == 2 and "</s>" not in backend.tokenizer.decode(ids)
    result = load("green", str(folder), device="cpu").compute(["Effusion."], ["No effusion."], detailed=True)
    assert result["unscored"] == 1 and result["details"][0]["answer"] is not None


@pytest.mark.parametrize(("config", "source"), [("phi3", "GREEN-Phi-3"), ("gemma-2b-mm", "GREEN-Gemma-2b-MM")])
def test_a_missing_checkpoint_names_the_command(config, source, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(CheckpointError, match=f"hf download StanfordAIMI/{source}`"):
        load("green", config).compute(["Effusion."], ["No effusion."])
