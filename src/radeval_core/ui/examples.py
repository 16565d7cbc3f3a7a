"""The example pairs that visitors can click in every demo."""

from __future__ import annotations

from importlib import resources
from typing import NamedTuple

import yaml


class Example(NamedTuple):
    """An example pair, what is right or wrong in its candidate, and what is known about the patient."""

    label: str
    reference: str
    candidate: str
    age: str = ""
    sex: str = ""
    indication: str = ""
    history: str = ""


def _examples(file: str) -> tuple[Example, ...]:
    rows = yaml.safe_load(resources.files(__package__).joinpath(file).read_text("utf-8"))
    return tuple(Example(**row) for row in rows)


EXAMPLES = _examples("examples.yaml")
#: further examples for metrics that use the patient's context
CONTEXT_EXAMPLES = _examples("context_examples.yaml")
