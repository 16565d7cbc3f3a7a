"""Write the card of a trained model from its run: data, recipe, figures, limits. Every number comes from the run."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from radeval_core.io import write_text

#: libraries whose versions a card names
_LIBRARIES = ("radeval_core", "torch", "transformers", "trl", "peft", "accelerate")


@dataclass(frozen=True)
class ModelCard:
    """What a card says.

    Attributes:
        title: name of the model.
        about: what it does and which metric it is for.
        base: Hub id or name of the model it was trained from; empty if it was trained from scratch.
        licence: licence of the weights, `other` if it is not known.
        task: pipeline tag of the Hub.
        use: the command that uses the model.
        data: lines about the training data.
        recipe: settings by name.
        figures: tables: a title, column names and rows.
        limits: sentences on what the model cannot do.
        tags: further tags of the Hub.
    """

    title: str
    about: str
    base: str
    licence: str
    task: str
    use: str
    data: Sequence[str]
    recipe: Mapping[str, Any]
    figures: Sequence[tuple[str, Sequence[str], Sequence[Sequence[Any]]]]
    limits: Sequence[str]
    tags: Sequence[str] = field(default=())

    def text(self) -> str:
        """Return the card as Markdown with the Hub's YAML block."""
        head: dict[str, Any] = {
            "license": self.licence,
            "library_name": "transformers",
            "pipeline_tag": self.task,
            "tags": ["radiology", "evaluation", *self.tags],
        }
        if self.base:
            head["base_model"] = self.base
        parts = [
            f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True)}---\n\n# {self.title}\n\n{self.about}",
            f"## Use\n\n```bash\n{self.use}\n```",
            "## Training data\n\n" + "\n".join(f"- {line}" for line in self.data),
            "## Recipe\n\n" + table(("setting", "value"), [(f"`{name}`", v) for name, v in self.recipe.items()]),
            "![Training curves](curves.png)",
            *(f"## {title}\n\n{table(columns, rows)}" for title, columns, rows in self.figures),
            "## Limits\n\n" + "\n".join(f"- {line}" for line in self.limits),
            "## Versions\n\n" + ", ".join(f"{name} {version}" for name, version in versions().items()),
        ]
        return "\n\n".join(parts) + "\n"


def write_card(folder: Path, card: ModelCard) -> Path:
    """Write a model's card into its folder."""
    path = folder / "README.md"
    write_text(path, card.text())
    return path


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table; numbers get three digits after the point."""
    lines = [columns, ["---"] * len(columns), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def versions() -> dict[str, str]:
    """Return the versions of the libraries that decide what a run computes."""
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:  # not every run needs all of them
            continue
    return found


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) >= 0.01 or value == 0 else f"{value:g}"
    return str(value).replace("|", "\\|").replace("\n", " ")
