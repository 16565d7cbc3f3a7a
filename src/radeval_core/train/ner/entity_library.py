"""A library of known entity names, and how similar a proposed entity is to the nearest of them.

The paper's library has UMLS, SNOMED CT and ICD-10, and MedCPT compares the names (appendix A.2). Ours has the names of
the findings parser's lexicon, which include synonyms of MONDO, and any files of names of yours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from radeval_core.annotators.entity_encoder import EntityEncoder
from radeval_core.errors import InputError
from radeval_core.findings.lexicon import Lexicon
from radeval_core.findings.text import normalise_form
from radeval_core.io.notes import Notes
from radeval_core.io.text_stream import numbered_lines


class EntityLibrary:
    """Known names of entities.

    Args:
        names: the names, in any form.
        encoder: gives names their vectors.
    """

    def __init__(self, names: Iterable[str], encoder: EntityEncoder) -> None:
        self.names = sorted({" ".join(normalise_form(name)) for name in names} - {""})
        self._known = frozenset(self.names)
        self.encoder = encoder
        self._vectors: np.ndarray | None = None

    def similarities(self, names: Sequence[str]) -> list[float]:
        """Return the cosine of each name with the nearest known one; 1 for a known name, whatever its spelling."""
        normal = [" ".join(normalise_form(name)) for name in names]
        unknown = sorted({name for name in normal if name and name not in self._known})
        nearest = dict.fromkeys(self._known, 1.0) | {"": 0.0}
        if unknown:
            if self._vectors is None:
                self._vectors = np.stack(self.encoder.annotate(self.names))
            cosines = np.stack(self.encoder.annotate(unknown)) @ self._vectors.T
            nearest |= dict(zip(unknown, cosines.max(axis=1).tolist(), strict=True))
        return [nearest[name] for name in normal]


def library_names(lexicon: Lexicon, files: Iterable[str]) -> list[str]:
    """Return the names of the lexicon and of text files with one name per line."""
    names = list(lexicon.names())
    for file in map(Path, files):
        if not file.is_file():
            raise InputError(f"--library {file}: no such file; give a text file with one name per line")
        found = [line.strip() for _, line in numbered_lines(file, Notes()) if line.strip()]
        if not found:
            raise InputError(f"--library {file}: no names; give one name per line")
        names += found
    return names
