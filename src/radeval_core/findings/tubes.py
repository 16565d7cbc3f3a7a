"""Tubes that are dangerous where they are: in the airways, or too high or too low above the carina."""

from __future__ import annotations

from collections.abc import Collection, Iterable

#: correct position of the tip of an endotracheal tube, in millimetres above the carina
_IN_PLACE = (20.0, 70.0)
#: where no feeding tube belongs
_AIRWAYS = frozenset({"bronchus", "upper_lobe", "middle_lobe", "lower_lobe"})


def out_of_place(names: Collection[str], anatomy: Collection[str], measurements: Iterable[float]) -> bool:
    """Return whether a device with these names, in these places, is a misplaced tube.

    An endotracheal tube must not end in a bronchus, and must end 2 to 7 cm above the carina. A feeding tube must not be
    in the airways.
    """
    if "endotracheal_tube" in names:
        low, high = _IN_PLACE
        return "bronchus" in anatomy or any(not low <= distance <= high for distance in measurements)
    return "nasogastric_tube" in names and not _AIRWAYS.isdisjoint(anatomy)
