"""Frozen dataclasses that are built quickly behave like any other frozen dataclass."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, replace

import pytest

from radeval_core.findings.quick_frozen import built_quickly


@built_quickly
@dataclass(frozen=True, slots=True)
class Box:
    """A box with a default."""

    width: int
    height: int = 2


def test_it_takes_positions_names_and_defaults() -> None:
    assert [(b.width, b.height) for b in (Box(1), Box(1, 3), Box(height=3, width=1))] == [(1, 2), (1, 3), (1, 3)]


def test_it_is_frozen() -> None:
    box = Box(1)
    with pytest.raises(FrozenInstanceError):
        box.width = 5  # type: ignore[misc]
    assert type(box) is Box


def test_equal_values_are_equal_and_hash_alike() -> None:
    assert Box(1) == Box(1, 2) != Box(2)
    assert hash(Box(1)) == hash(Box(1, 2))


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b)), lambda b: replace(b, height=2)]
)
def test_a_copy_is_equal_and_frozen(copied) -> None:
    box = copied(Box(1))
    assert box == Box(1)
    assert type(box) is Box


def test_it_says_its_fields() -> None:
    assert repr(Box(1)) == "Box(width=1, height=2)"
    assert asdict(Box(1)) == {"width": 1, "height": 2}
    assert list(inspect.signature(Box).parameters) == ["width", "height"]


def test_a_wrong_call_names_the_class_and_what_is_missing() -> None:
    with pytest.raises(TypeError, match=r"Box.__init__\(\) missing 1 required positional argument: 'width'"):
        Box()  # type: ignore[call-arg]
