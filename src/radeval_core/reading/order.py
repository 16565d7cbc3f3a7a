"""The order in which a reader sees the cases, and which of two candidates is shown first. Drawn once per reader."""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from radeval_core.reading.cases import Case


@dataclass(frozen=True)
class Order:
    """What one reader sees, in order.

    Attributes:
        seed: what the order was drawn with, for the record. The order itself is stored too.
        cases: keys of all cases, in the reader's order.
        swapped: keys of the cases whose second candidate is shown first.
    """

    seed: int
    cases: tuple[str, ...]
    swapped: frozenset[str]

    def candidates_of(self, case: Case) -> list[int]:
        """Return the numbers of a case's candidates in the order in which this reader sees them."""
        numbers = list(range(len(case.candidates)))
        return numbers[::-1] if case.key in self.swapped else numbers


def draw_order(cases: Sequence[Case], seed: int) -> Order:
    """Draw an order of the cases, and toss a coin for each case with two candidates."""
    draws = random.Random(seed)
    keys = [case.key for case in cases]
    draws.shuffle(keys)
    swapped = {case.key for case in cases if len(case.candidates) == 2 and draws.random() < 0.5}
    return Order(seed, tuple(keys), frozenset(swapped))


def reader_seed(name: str, study_seed: int | None) -> int:
    """Return the seed of a reader: a random one, or one that a study's seed and the reader's name determine."""
    if study_seed is None:
        return secrets.randbits(48)
    return int.from_bytes(hashlib.sha256(f"{study_seed} {name}".encode()).digest()[:6])
