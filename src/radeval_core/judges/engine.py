"""Send pairs of reports to a judge: each distinct pair is judged once, and every pair gets a verdict."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TypeVar

from tqdm import tqdm

from radeval_core.judges.verdict import Judge, Verdict

log = logging.getLogger(__name__)
A = TypeVar("A")


def judge_pairs(judge: Judge[A], pairs: Sequence[tuple[str, str]], progress: bool = True) -> list[Verdict[A]]:
    """Return one verdict per pair, in the order given.

    Args:
        judge: the judge that analyses the pairs.
        pairs: reference and candidate, in this order.
        progress: show a progress bar on a terminal.
    """
    places: dict[tuple[str, str], int] = {}
    inverse = [places.setdefault(pair, len(places)) for pair in pairs]
    verdicts: dict[int, Verdict[A]] = {}
    with tqdm(total=len(places), desc="judging", unit="pair", leave=False, disable=None if progress else True) as bar:
        for place, verdict in judge.verdicts(list(places)):
            verdicts[place] = verdict
            bar.update()
    unscored = sum(verdicts[i].analysis is None and bool(verdicts[i].tries) for i in inverse)
    if unscored:
        log.warning("%d of %d pairs are unscored: the details say why", unscored, len(pairs))
    return [verdicts[i] for i in inverse]
