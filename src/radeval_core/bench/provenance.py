"""What can move a number besides the metrics and the data."""

from __future__ import annotations

import platform
from importlib.metadata import version

from radeval_core import __version__


def versions() -> dict[str, str]:
    """Versions of this package and of what the statistics are computed with."""
    return {
        "radeval_core": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "scipy")},
    }
