"""Keep checked pairs so that they can be read many times in little memory.

A small set of pairs stays in memory. A large one goes to a temporary file that has no name (on Windows: that is deleted
when it is closed). Reports are patient data, so the file is encrypted with a key that only this process has.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from radeval_core.pairs import Pair, check_references, is_blank
from radeval_core.runner import chunks

#: bytes kept in memory before a file is created
_MEMORY = 32 << 20


class PairSpool:
    """Holds checked pairs. It can be iterated many times.

    Args:
        pairs: checked pairs; the constructor reads all of them.

    Attributes:
        several: index and references of the first pair with more than one reference; None if every pair has one.
        empty_predictions: number of pairs whose prediction is empty.
        empty_references: number of pairs whose references are all empty.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self.several: tuple[int, tuple[str, ...]] | None = None
        self.empty_predictions = self.empty_references = 0
        self._count = 0
        self._ends = [0]
        self._file = tempfile.SpooledTemporaryFile(_MEMORY)  # noqa: SIM115 - lives as long as this object
        self._cipher = AESGCM(AESGCM.generate_key(128))
        for chunk in chunks(pairs):
            if self.several is None:
                places = enumerate(chunk, start=self._count)
                self.several = next(((i, pair.references) for i, pair in places if len(pair.references) > 1), None)
            self.empty_predictions += sum(is_blank(pair.prediction) for pair in chunk)
            self.empty_references += sum(all(map(is_blank, pair.references)) for pair in chunk)
            self._put([(pair.prediction, pair.references, pair.id, pair.image, pair.boxes) for pair in chunk])
            self._count += len(chunk)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Pair]:
        for number in range(len(self._ends) - 1):
            self._file.seek(self._ends[number])
            sealed = self._file.read(self._ends[number + 1] - self._ends[number])
            for prediction, references, *rest in json.loads(self._cipher.decrypt(_nonce(number), sealed, None)):
                yield Pair(prediction, tuple(references), *rest)

    def check_references(self, metrics: Mapping[str, bool]) -> None:
        """Refuse several references for a pair if a metric takes only one.

        Args:
            metrics: the metrics that will score the pairs, and whether each takes several references.
        """
        single = next((name for name, several in metrics.items() if not several), None)
        if single and self.several:
            check_references(f"pairs[{self.several[0]}].reference", self.several[1], single, False)

    def _put(self, rows: list[tuple[Any, ...]]) -> None:
        data = self._cipher.encrypt(_nonce(len(self._ends) - 1), json.dumps(rows).encode(), None)
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))


def _nonce(number: int) -> bytes:
    """Return the nonce of a chunk. Every spool has a new key, so no nonce is used twice with one key."""
    return number.to_bytes(12, "big")
