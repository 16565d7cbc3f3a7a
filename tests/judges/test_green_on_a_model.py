"""The metric `green` with a local causal model."""

import math

from tiny_llama import make_tiny_llama

from radeval_core import load
from radeval_core.judges.green import instructions


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
