"""Find the files of pairs that a user names: one file, a folder of files, or a pattern."""

from __future__ import annotations

import glob
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.io import open_pairs
from radeval_core.io.formats import TABLE_FORMATS, accepted_text, format_of


def input_paths(given: str) -> list[str]:
    """Return the absolute paths of the files, in the order of their names: workers may run in another folder."""
    path = Path(given)
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith((".", "_")))
        found = [file for file in found if format_of(file) in TABLE_FORMATS]
    elif not path.exists() and glob.has_magic(given):
        found = sorted(Path(name) for name in glob.glob(given))
    else:
        found = [path]
    if not found:
        raise InputError(f"{given}: no files of pairs there, their names must end in {accepted_text(TABLE_FORMATS)}")
    for file in found:
        open_pairs(file)  # refuses what does not exist, and unknown formats
        if not file.is_file():
            raise InputError(f"{file}: a pipe can be read only once: write the pairs to a file")
    return [str(file.resolve()) for file in found]
