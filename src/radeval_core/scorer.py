"""The contract between a metric and the runner: per-pair statistics first, one aggregation after.

Because a headline is a function of the *sum* of per-pair statistics, bootstrap intervals and paired tests resample
those and never score a report again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.errors import InputError
from radeval_core.pairs import Pair
from radeval_core.spec import Config, MetricSpec

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Option:
    """An option of a metric.

    Attributes:
        default: its value where the user gives none; None where the metric chooses.
        type: what a given value must be.
    """

    default: Any
    type: type

    def check(self, name: str, value: Any) -> Any:
        """The value, if it is of the option's type. Text, as a command line gives it, is read as that type."""
        if value is None or type(value) is self.type:
            return value
        if self.type is bool and str(value).lower() in _SWITCH:
            return _SWITCH[str(value).lower()]
        if self.type is int and isinstance(value, str) and value.lstrip("-").isdigit():
            return int(value)
        if self.type is list and isinstance(value, Sequence) and not isinstance(value, str):
            return list(value)
        expected = {bool: "true or false", int: "a whole number", list: "a list", str: "a text"}[self.type]
        raise InputError(f"option {name} must be {expected}, got {value!r}")


_SWITCH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass
class Resources:
    """What scorers share in one run.

    Attributes:
        store: annotations, computed once for each unique text.
        device: `cuda`, `mps`, `cpu`, or None to choose.
        batch_tokens: token budget of a batch, or None to choose.
        progress: show bars on a terminal.
    """

    store: AnnotationStore = field(default_factory=AnnotationStore)
    device: str | None = None
    batch_tokens: int | None = None
    progress: bool = True


@dataclass
class PairScores:
    """What a scorer returns for a batch of pairs, row by row.

    Attributes:
        values: per-pair values, keyed by the metric's name and its parts. NaN marks an unscored pair.
        stats: per-pair statistics whose sum the headline is computed from; the values themselves where None.
        details: the structures behind each score, if asked for.
    """

    values: dict[str, Array]
    stats: Array | None = None
    details: list[dict[str, Any]] | None = None


class Scorer(ABC):
    """Scores pairs for one metric under one config and set of options."""

    spec: ClassVar[MetricSpec]
    #: options the metric takes
    options: ClassVar[Mapping[str, Option]] = {}

    def __init__(self, config: Config, resources: Resources, checkpoint: str | None = None, **options: Any) -> None:
        self.config = config
        self.resources = resources
        self.checkpoint = checkpoint
        self.chosen = {name: option.default for name, option in self.options.items()}
        for name, value in options.items():
            self.chosen[name] = self.options[name].check(f"{self.spec.name}.{name}", value)
        self.prepare()

    def prepare(self) -> None:  # noqa: B027 - an optional hook
        """Check options and get ready; the place to fail early."""

    @property
    def two_pass(self) -> bool:
        """Whether `observe` must see all pairs before the first is scored."""
        return self.spec.two_pass

    def observe(self, pairs: Sequence[Pair]) -> None:
        """First pass: gather what is needed of the whole corpus (document frequencies)."""
        raise InputError(f"{self.spec.name} has no first pass")

    @abstractmethod
    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        """Score a batch of pairs, in order."""

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        """Headline and extras from summed statistics; leading axes of `sums` are resamples."""
        return {key: sums[..., i] / n for i, key in enumerate(self.value_names)}

    def report(self) -> dict[str, Any]:
        """Further results that are no single numbers, asked for once all pairs are scored; plain values by name."""
        return {}

    @property
    def value_names(self) -> tuple[str, ...]:
        return (self.spec.name, *self.spec.parts)

    def signature_fields(self) -> dict[str, object]:
        """What can move the number besides config, references and versions."""
        return {}

    def warm_up(self) -> None:  # noqa: B027 - an optional hook
        """Load what scoring will need, so that a missing checkpoint fails before the first pair."""
