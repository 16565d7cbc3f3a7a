"""The example pairs that visitors can click in every demo."""

from __future__ import annotations

from importlib import resources
from typing import NamedTuple

import yaml


class Example(NamedTuple):
    """An example pair, and what is right or wrong in its candidate."""

    label: str
    reference: str
    candidate: str


EXAMPLES = tuple(
    Example(**row) for row in yaml.safe_load(resources.files(__package__).joinpath("examples.yaml").read_text("utf-8"))
)
