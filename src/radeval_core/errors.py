"""The errors users see. Each message says what was expected, what came, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class RadevalError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(RadevalError, ValueError):
    """The reports, files or options given by the caller are not what was asked for."""


class CheckpointError(RadevalError, RuntimeError):
    """A checkpoint cannot be had or is not in the published format."""


class MissingDependencyError(RadevalError, ImportError):
    """A config needs a package of an extra that is not installed."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> InputError:
    """An error for a name that does not exist, with the nearest name that does."""
    known = list(known)
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    shown = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    return InputError(f"unknown {kind} {name!r}: {hint}known: {shown}")


def needs_extra(extra: str, what: str) -> MissingDependencyError:
    """An error for an optional package that is missing, with the command that installs it."""
    return MissingDependencyError(f"{what} needs packages that are not installed: pip install 'radeval_core[{extra}]'")
