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
    assert result["details"][0]["reason"] and result["details"][0]["answer"]
