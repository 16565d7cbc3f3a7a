"""Read files of weights that a user names in an option."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from radeval_core.errors import InputError, unknown_name
from radeval_core.user_yaml import read_yaml


def read_weights_file(metric: str, wanted: str, known: Iterable[str]) -> tuple[bytes, Any]:
    """Return the content of a JSON or YAML file, as bytes and as data.

    Args:
        metric: the metric it is for.
        wanted: its path.
        known: names that can be given instead, for the error message.
    """
    path = Path(wanted)
    if not path.is_file():
        if path.suffix or "/" in wanted:
            raise InputError(f"weights of {metric}: no such file: {wanted}")
        raise unknown_name(f"weights of {metric}", wanted, [*known, "a JSON or YAML file"])
    content = path.read_bytes()
    if path.suffix in (".yaml", ".yml"):
        return content, read_yaml(f"weights of {metric}: {wanted}", content)
    try:
        return content, json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"weights of {metric}: {wanted} is neither JSON nor YAML") from error
