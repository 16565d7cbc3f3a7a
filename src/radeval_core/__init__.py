"""radeval_core: the shared core of the radeval collection of radiology report metrics.

The public names are loaded on first use, so that `import radeval_core` stays cheap and free of torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Pair", "RadevalError", "ReportMetric", "__version__", "load", "metric_names", "score"]

if TYPE_CHECKING:
    from radeval_core.api import load, score
    from radeval_core.errors import RadevalError
    from radeval_core.evaluate_module import ReportMetric
    from radeval_core.pairs import Pair
    from radeval_core.registry import metric_names

_HOME = {
    "Pair": "pairs",
    "RadevalError": "errors",
    "ReportMetric": "evaluate_module",
    "load": "api",
    "metric_names": "registry",
    "score": "api",
}


def __getattr__(name: str) -> Any:
    """Import a public name from the module that defines it."""
    if name not in _HOME:
        raise AttributeError(f"module 'radeval_core' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"radeval_core.{_HOME[name]}"), name)
