"""The metric `green` on a causal model of this machine."""

import math

from tiny_llama import make_tiny_llama

from radeval_core import load
from radeval_core.judges.green import judge


def test_a_folder_with_a_causal_model_is_asked(tmp_path, monkeypatch):
    """A tiny random model has nothing sensible to say: the pair is unscored, with the answer and the reason."""
    monkeypatch.setattr(judge, "MAX_ANSWER", 4)
    folder = make_tiny_llama(tmp_path / "tiny", ["Small effusion. No pneumothorax."], context=4096)
    result = load("green", str(folder), device="cpu").compute(["Effusion."], ["No effusion."], detailed=True)
    assert result["unscored"] == 1 and math.isnan(result["green"])
    assert "|backend:transformers|model:tiny@" in result["signature"] and "|decoding:greedy" in result["signature"]
    assert result["details"][0]["reason"] and result["details"][0]["answer"]
