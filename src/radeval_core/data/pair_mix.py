"""Mix several heuristics in equal parts, without making a pair twice, as the GREEN paper does (section 3.1.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from radeval_core.data.pairing import FindNearest, Modify, ReportPair, make_pairs
from radeval_core.errors import InputError

#: the five heuristics of the paper, in its order: 20,000 pairs of each
PAPER = ("random", "remove_shuffle", "model_output", "nearest", "permutation")
#: the name that stands for all of them
MIXED = "mixed"


def heuristics_of(text: str) -> tuple[str, ...]:
    """Return the heuristics that a text names: `mixed`, one, or several with commas between them."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if MIXED in names:
        if len(names) > 1:
            raise InputError(f"--heuristic {text!r}: {MIXED!r} names all heuristics of the paper: give it alone")
        return PAPER
    if not names or len(set(names)) < len(names):
        raise InputError(f"--heuristic {text!r}: expected one heuristic, or different ones with commas between them")
    return names


def mix_pairs(
    reports: Mapping[str, str],
    heuristics: Sequence[str],
    seed: int = 0,
    *,
    count: int | None = None,
    outputs: Mapping[str, str] | None = None,
    find_nearest: FindNearest | None = None,
    modify: Modify | None = None,
) -> list[ReportPair]:
    """Make the same number of pairs with each heuristic; none is made by two of them.

    If a heuristic cannot make its share, all make as few: their parts stay equal.

    Args:
        reports: the corpus, text by id.
        heuristics: the heuristics, in the order in which they choose.
        seed: random seed.
        count: number of pairs of all heuristics together; by default as many as there can be.
        outputs: for `model_output`, the system's reports by id of the report.
        find_nearest: for `nearest`, function that finds the nearest texts; TF-IDF by default.
        modify: for `modification`, function that modifies reports.
    """
    if "model_output" in heuristics and outputs is None:
        others = ",".join(name for name in heuristics if name != "model_output")
        raise InputError(
            f"'model_output' needs a system's reports: add --outputs FILE, or leave it out with --heuristic {others}"
        )
    for name, given in (("model_output", outputs), ("modification", modify)):
        if given is not None and name not in heuristics:
            raise InputError(
                f"something is given for {name!r}, which is not among the heuristics: {', '.join(heuristics)}"
            )
    if count is not None and count < len(heuristics):
        raise InputError(f"--count must be at least {len(heuristics)}, one pair of each heuristic, got {count}")
    share = None if count is None else count // len(heuristics)
    made: dict[str, list[ReportPair]] = {}
    for heuristic in heuristics:
        made[heuristic] = make_pairs(
            reports,
            heuristic,
            seed,
            count=len(reports) if share is None else share,  # with a count, references come in random order
            outputs=outputs if heuristic == "model_output" else None,
            find_nearest=find_nearest if heuristic == "nearest" else None,
            modify=modify if heuristic == "modification" else None,
            exclude=chain.from_iterable(made.values()),
        )
    fewest = min(map(len, made.values()))
    if not fewest:
        empty = next(name for name, pairs in made.items() if not pairs)
        raise InputError(f"the heuristic {empty!r} makes no pair from these reports: leave it out of --heuristic")
    return [pair for pairs in made.values() for pair in pairs[:fewest]]
