"""Upload a built dataset to a dataset repository on the Hub, if its terms allow it."""

from __future__ import annotations

from pathlib import Path

from radeval_core.data.catalogue import get_dataset
from radeval_core.data.dataset import MANIFEST, file_hash, read_manifest
from radeval_core.errors import InputError
from radeval_core.hub.publish import upload_folder


def may_push(name: str) -> None:
    """Raise an error if the dataset's terms forbid publishing it."""
    dataset = get_dataset(name)
    if not dataset.publishable:
        raise InputError(f"{name} may not be published: {dataset.terms}; build it from your own copy of the source")


def push(name: str, folder: Path, org: str) -> str:
    """Create or update `org/<name>` with the built folder and return its URL.

    Only files written by the build are uploaded, and only if they are unchanged.
    """
    may_push(name)
    manifest = read_manifest(folder)
    if manifest["dataset"] != name:
        raise InputError(f"{folder} contains the dataset {manifest['dataset']!r}, not {name!r}; give --folder DIR")
    files = get_dataset(name).files()
    for file in files:
        if not (folder / file).is_file() or file_hash(folder / file) != manifest["files"].get(file):
            raise InputError(f"{folder / file}: missing or changed since it was built; build the dataset again")
    return upload_folder(folder, org, name, "dataset", files=["README.md", MANIFEST, *files])
