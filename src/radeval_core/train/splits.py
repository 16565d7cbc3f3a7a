"""Split pairs by study: no study is in two splits, and adding studies moves none of the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from radeval_core.errors import InputError
from radeval_core.train.rows import SPLITS

#: the proportions of the GREEN paper (section 5.1)
PROPORTIONS = (0.8, 0.1, 0.1)
#: hashes are spread over this many steps
_STEPS = 2**32


def read_proportions(text: str) -> tuple[float, ...]:
    """Return the proportions in a text such as `0.8,0.1,0.1`, scaled to add up to 1."""
    try:
        given = [float(part) for part in text.split(",")]
    except ValueError:
        given = []
    if len(given) != len(SPLITS) or not all(0 <= part < float("inf") for part in given) or not given[0]:
        expected = f"three numbers for {', '.join(SPLITS)}, such as 0.8,0.1,0.1, the first above 0"
        raise InputError(f"--splits {text!r}: expected {expected}")
    return tuple(part / sum(given) for part in given)


def split_of(study: str, seed: int = 0, proportions: Sequence[float] = PROPORTIONS) -> str:
    """Return the split of a study, from the hash of study and seed."""
    digest = hashlib.sha256(f"{seed}:{study}".encode()).digest()
    place = int.from_bytes(digest[:4], "big") / _STEPS
    edge = 0.0
    for split, proportion in zip(SPLITS, proportions, strict=True):
        edge += proportion
        if place < edge:
            return split
    return next(split for split, proportion in zip(SPLITS[::-1], proportions[::-1], strict=True) if proportion)


def check_splits(studies: Iterable[str], seed: int, proportions: Sequence[float]) -> None:
    """Refuse studies that leave a split empty although it should have some.

    Raises:
        InputError: a split with a proportion above 0 gets no study.
    """
    names = set(studies)
    found = {split_of(study, seed, proportions) for study in names}
    for split, proportion in zip(SPLITS, proportions, strict=True):
        if proportion and split not in found:
            raise InputError(
                f"the split {split!r} would be empty: too few studies ({len(names)}) for a share of {proportion:.0%}. "
                "Give more studies, another --seed, or other proportions, such as --splits 1,0,0"
            )
