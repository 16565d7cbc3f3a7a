"""Send pairs of reports to a judge: each distinct pair is judged once, and every pair gets a verdict."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeVar

from tqdm import tqdm

from radeval_core.judges.verdict import Case, Judge, Verdict

log = logging.getLogger(__name__)
A = TypeVar("A")


def judge_pairs(judge: Judge[A], pairs: Sequence[Case | tuple[str, str]], progress: bool = True) -> list[Verdict[A]]:
    """Return one verdict per pair, in the order given.

    Args:
        judge: the judge that analyses the pairs.
        pairs: reference and candidate, in this order, and optionally the context.
        progress: show a progress bar on a terminal.
    """
    places: dict[Case, int] = {}
    inverse = [places.setdefault(Case(*pair), len(places)) for pair in pairs]
    verdicts: dict[int, Verdict[A]] = {}
    with tqdm(total=len(places), desc="judging", unit="pair", leave=False, disable=None if progress else True) as bar:
        judge.watch(lambda text: bar.set_postfix_str(text))
        for place, verdict in judge.verdicts(list(places)):
            verdicts[place] = verdict
            bar.update()
    failures = Counter(verdicts[i].failure for i in inverse if verdicts[i].failure)
    if failures:
        log.warning("%d of %d pairs are unscored: %s", failures.total(), len(pairs), failures_text(failures))
    return [verdicts[i] for i in inverse]


def failures_text(failures: Mapping[str, int], most: int = 3) -> str:
    """Return the most frequent reasons with their counts, such as `3 × HTTP 500: the server failed`."""
    counted = Counter(failures).most_common()
    shown = [f"{count} × {reason}" for reason, count in counted[:most]]
    rest = sum(count for _, count in counted[most:])
    return "; ".join([*shown, *([f"{rest} × other reasons"] if rest else [])])
