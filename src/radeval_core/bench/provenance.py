"""Record the software versions that can change a result."""

from __future__ import annotations

import platform
from importlib.metadata import version

from radeval_core import __version__


def versions() -> dict[str, str]:
    """Return the versions of this package, Python, numpy and scipy."""
    return {
        "radeval_core": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "scipy")},
    }
