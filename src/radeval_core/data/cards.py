"""Find dataset cards, check them against the code, and add the sizes to the card of a built dataset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from radeval_core.data.dataset import Dataset
from radeval_core.errors import InputError

#: rows and bytes of each split of each config
Sizes = Mapping[str, Mapping[str, tuple[int, int]]]


def card_path(name: str) -> Path:
    """Return the path of a dataset's card, in this checkout or in the installed package."""
    here = Path(__file__).resolve()
    folders = (here.parents[3] / "datasets_cards", here.parent / "datasets_cards")
    for folder in folders:
        if (folder / name / "README.md").is_file():
            return folder / name / "README.md"
    raise InputError(f"the card of {name} is missing; expected {folders[0] / name / 'README.md'}")


def front_matter(card: str) -> tuple[dict[str, Any], str]:
    """Split a card into its YAML fields and the text below them."""
    start, fields, text = card.split("---\n", 2) if card.count("---\n") >= 2 else ("no", "", "")
    matter = yaml.safe_load(fields) if not start else None
    if not isinstance(matter, dict):
        raise InputError("a card must begin with YAML fields between two --- lines")
    return matter, text


def check_card(dataset: Dataset, card: str) -> None:
    """Raise an error if a card has no licence, or if its configs, splits, files or features differ from the dataset."""
    from datasets import Features

    matter, _ = front_matter(card)
    where = f"card of {dataset.name}"
    if not matter.get("license"):
        raise InputError(f"{where}: field 'license' is missing")
    stated = {config["config_name"]: config["data_files"] for config in matter.get("configs", ())}
    declared = {
        config: [{"split": split, "path": f"{config}/{split}.parquet"} for split in part.splits]
        for config, part in dataset.configs.items()
    }
    if stated != declared or list(stated) != list(declared):
        raise InputError(f"{where}: 'configs' must be {declared}, in this order, got {stated}")
    infos = matter.get("dataset_info", [])
    features = {info["config_name"]: info["features"] for info in infos}
    if list(features) != list(declared):
        expected_names, names = ", ".join(declared), ", ".join(features)
        raise InputError(f"{where}: 'dataset_info' must be a list with {expected_names}, got {names}")
    for config, part in dataset.configs.items():
        expected = Features.from_arrow_schema(part.schema)
        if Features._from_yaml_list(features[config]) != expected:
            wanted = yaml.safe_dump(expected._to_yaml_list(), sort_keys=False)
            raise InputError(f"{where}: features of {config!r} must be:\n{wanted}")


def with_sizes(card: str, sizes: Sizes) -> str:
    """Return the card with the size of every split in its YAML. `load_dataset` checks these sizes."""
    matter, text = front_matter(card)
    for info in matter["dataset_info"]:
        splits = sizes[info["config_name"]]
        info["splits"] = [
            {"name": split, "num_bytes": num_bytes, "num_examples": rows} for split, (rows, num_bytes) in splits.items()
        ]
        info["dataset_size"] = sum(num_bytes for _, num_bytes in splits.values())
    fields = yaml.safe_dump(matter, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{fields}---\n{text}"
