"""Plans batches: each distinct text once, longest first, within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def unique_texts(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the distinct texts in order of first appearance, and for each input the index of its text."""
    places: dict[str, int] = {}
    inverse = [places.setdefault(text, len(places)) for text in texts]
    return list(places), inverse


def plan_batches(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Group items into batches whose padded size stays within a budget.

    Batches take the longest items first, so padding is small and an out-of-memory error shows up at once. A batch
    costs its longest item times its number of items. An item longer than the budget gets a separate batch.

    Args:
        lengths: the length of each item, in tokens.
        budget: maximum tokens per batch, padding included.

    Returns:
        Batches of indices into `lengths`; every index occurs exactly once.
    """
    if budget < 1:
        raise ValueError(f"the token budget must be at least 1, got {budget}")
    batches: list[list[int]] = []
    longest = 0
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batches and (len(batches[-1]) + 1) * longest <= budget:
            batches[-1].append(index)
        else:
            batches.append([index])
            longest = max(lengths[index], 1)
    return batches


def restore_order(batches: Sequence[Sequence[int]], results: Sequence[Sequence[T]]) -> list[T]:
    """Put the results of planned batches back in the order of the items.

    Raises:
        ValueError: if a batch does not have exactly one result per item, or an index is missing or repeated.
    """
    placed: dict[int, T] = {}
    for batch, batch_results in zip(batches, results, strict=True):
        for index, result in zip(batch, batch_results, strict=True):
            if index in placed:
                raise ValueError(f"item {index} has two results")
            placed[index] = result
    if placed and set(placed) != set(range(len(placed))):
        raise ValueError("some items have no result")
    return [placed[i] for i in range(len(placed))]
