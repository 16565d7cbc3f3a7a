"""Read the texts of a metric's Space from `spaces/NAME/space.yaml`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import yaml

from radeval_core.errors import InputError

FILE = "space.yaml"


@dataclass(frozen=True)
class SpacePage:
    """The texts of a metric's page.

    Attributes:
        title: the metric's name as people write it.
        how: how to read the score, in two or three sentences.
        film: True if visitors can load a film for the view to draw on.
        example: the label of the example that the page opens with.
    """

    title: str
    how: str
    film: bool = False
    example: str = "wrong side"


def spaces_folder() -> Path:
    """Return the folder with all Spaces: in the installed package, or at the top of the checkout."""
    here = Path(__file__).resolve()
    folders = (here.parent / "spaces", here.parents[3] / "spaces")
    for folder in folders:
        if folder.is_dir():
            return folder
    raise InputError(f"the folder with the Spaces is missing: expected {folders[0]} or {folders[1]}")


def read_page(path: Path) -> SpacePage:
    """Read a `space.yaml`."""
    try:
        return SpacePage(**yaml.safe_load(path.read_text("utf-8")))
    except FileNotFoundError as error:
        raise InputError(f"{path} is missing: the Space of a metric needs this file (title, how)") from error
    except (yaml.YAMLError, TypeError) as error:
        raise InputError(f"{path}: expected the fields title, how and optionally film, example") from error


def hub_org() -> str:
    """Return the organisation that this page is published under: that of the Space it runs in, else radeval."""
    return os.environ.get("SPACE_ID", "").partition("/")[0] or "radeval"
