"""Keep checked pairs, and the structures behind their scores, so that they can be read again in little memory.

A small set stays in memory. A large one goes to a temporary file that has no name (on Windows: that is deleted when it
is closed). Reports are patient data, so the file is encrypted with a key that only this process has.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from radeval_core.errors import InputError
from radeval_core.pairs import Pair, check_references, is_blank
from radeval_core.patient_context import PatientContext
from radeval_core.runner import chunks

if TYPE_CHECKING:
    from radeval_core.annotators.sections import SectionCutter

#: bytes kept in memory before a file is created
_MEMORY = 32 << 20


class _SealedRows:
    """Blocks of JSON values, encrypted, in memory or in a temporary file."""

    def __init__(self, in_memory: bool = False) -> None:
        self._ends = [0]
        # the file lives as long as this object
        self._file = BytesIO() if in_memory else tempfile.SpooledTemporaryFile(_MEMORY)  # noqa: SIM115
        self._cipher = AESGCM(AESGCM.generate_key(128))

    def append(self, block: Any) -> None:
        data = self._cipher.encrypt(_nonce(len(self._ends) - 1), json.dumps(block).encode(), None)
        self._file.seek(self._ends[-1])
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> Any:
        self._file.seek(self._ends[number])
        sealed = self._file.read(self._ends[number + 1] - self._ends[number])
        return json.loads(self._cipher.decrypt(_nonce(number), sealed, None))


class DetailSpool:
    """Holds the structures behind the scores of each pair; `add` is the `on_details` of a run.

    Args:
        in_memory: never use a temporary file.
    """

    def __init__(self, in_memory: bool = False) -> None:
        self._rows = _SealedRows(in_memory)

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep one row `{"id", "details": {metric: {...}}}`; rows come in the order of the pairs."""
        self._rows.append(row["details"])

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> dict[str, Any]:
        """Return the details of one pair by metric; `place` counts the pairs from 0."""
        details: dict[str, Any] = self._rows[place]
        return details


class PairSpool:
    """Holds checked pairs. It can be iterated many times.

    Args:
        pairs: checked pairs; the constructor reads all of them.
        cutter: cuts the reports down to a section before they are kept; None to keep whole reports.

    Attributes:
        cutter: what cut the reports, or None.
        several: index and references of the first pair with more than one reference; None if every pair has one.
        empty_predictions: number of pairs whose prediction is empty.
        empty_references: number of pairs whose references are all empty.
    """

    def __init__(self, pairs: Iterable[Pair], cutter: SectionCutter | None = None) -> None:
        self.cutter = cutter
        self.several: tuple[int, tuple[str, ...]] | None = None
        self.empty_predictions = self.empty_references = 0
        self._count = 0
        self._chunks = _SealedRows()
        for chunk in chunks(cutter.pairs(pairs) if cutter else pairs):
            if self.several is None:
                places = enumerate(chunk, start=self._count)
                self.several = next(((i, pair.references) for i, pair in places if len(pair.references) > 1), None)
            self.empty_predictions += sum(is_blank(pair.prediction) for pair in chunk)
            self.empty_references += sum(all(map(is_blank, pair.references)) for pair in chunk)
            self._chunks.append([_plain(pair) for pair in chunk])
            self._count += len(chunk)

    def section(self, wanted: str | None) -> str | None:
        """Return the section its reports were cut to; refuse another one."""
        own = self.cutter.section if self.cutter else None
        if wanted not in (None, own):
            raise InputError(f"the pairs were cut to section {own}, not {wanted}: cut them when they are read")
        return own

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Pair]:
        for number in range(len(self._chunks)):
            for prediction, references, name, image, boxes, context in self._chunks[number]:
                known = None if context is None else PatientContext(**context)
                yield Pair(prediction, tuple(references), name, image, boxes, known)

    def check_references(self, metrics: Mapping[str, bool]) -> None:
        """Refuse several references for a pair if a metric takes only one.

        Args:
            metrics: the metrics that will score the pairs, and whether each takes several references.
        """
        single = next((name for name, several in metrics.items() if not several), None)
        if single and self.several:
            check_references(f"pairs[{self.several[0]}].reference", self.several[1], single, False)


def _plain(pair: Pair) -> tuple[Any, ...]:
    """Return a pair as plain values."""
    context = None if pair.context is None else pair.context.as_dict()
    return pair.prediction, pair.references, pair.id, pair.image, pair.boxes, context


def _nonce(number: int) -> bytes:
    """Return the nonce of a chunk. Every spool has a new key, so no nonce is used twice with one key."""
    return number.to_bytes(12, "big")
