"""The prompts of appendices A.3 and A.4 of the GREEN paper: which of two reports is better, and modify a report."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

import yaml

#: maximum number of words of a report, as for GREEN itself
MAX_WORDS = 300


@cache
def paper_prompt(name: str) -> str:
    """Return a prompt by its name in `paper_prompts.yaml`."""
    prompts: dict[str, str] = yaml.safe_load(
        resources.files(__package__).joinpath("paper_prompts.yaml").read_text("utf-8")
    )
    return prompts[name]


def prompt_identity_of(*names: str) -> str:
    """Return names and content hash of prompts, for caches: `green-preference@1a2b3c4d`."""
    digest = hashlib.sha256("\0".join(map(paper_prompt, names)).encode()).hexdigest()[:8]
    return f"green-{'-'.join(names)}@{digest}"
