"""Uploads a built dataset as a dataset repository of the Hub, if its terms allow it."""

from __future__ import annotations

from pathlib import Path

from radeval_core.data.catalogue import get_dataset
from radeval_core.data.dataset import MANIFEST, file_hash, read_manifest
from radeval_core.errors import InputError
from radeval_core.hub.publish import upload_folder


def may_push(name: str) -> None:
    """Refuse a dataset whose terms forbid that it leaves the machine."""
    dataset = get_dataset(name)
    if not dataset.publishable:
        raise InputError(f"{name} may not be published: {dataset.terms}; everyone builds it from their own copy")


def push(name: str, folder: Path, org: str) -> str:
    """Create or update `org/<name>` with the built folder and return its address.

    Only the files that the build wrote are uploaded, and only as it wrote them.
    """
    may_push(name)
    manifest = read_manifest(folder)
    if manifest["dataset"] != name:
        raise InputError(f"{folder} holds the dataset {manifest['dataset']!r}, not {name!r}: give --folder DIR")
    files = get_dataset(name).files()
    for file in files:
        if not (folder / file).is_file() or file_hash(folder / file) != manifest["files"].get(file):
            raise InputError(f"{folder / file}: is not the file that was built; build the dataset again")
    return upload_folder(folder, org, name, "dataset", files=["README.md", MANIFEST, *files])
