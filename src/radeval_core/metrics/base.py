"""The contract between a metric and the runner: per-pair statistics first, one aggregation after.

Because a headline is a function of the *sum* of per-pair statistics, bootstrap intervals and paired tests resample
those and never score a report again.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from radeval_core.engine.annotations import AnnotationStore
from radeval_core.errors import InputError
from radeval_core.metrics.spec import Config, MetricSpec
from radeval_core.pairs import Pair
from radeval_core.patient_context import CONTEXT_COLUMNS

if TYPE_CHECKING:
    from radeval_core.annotators.findings import ReportReader, ReportView
    from radeval_core.annotators.sections import SectionCutter
    from radeval_core.findings.coverage import Coverage
    from radeval_core.findings.types import ParsedReport
    from radeval_core.metrics._coverage import PairCoverage

Array = NDArray[np.float64]
S = TypeVar("S")


@dataclass(frozen=True)
class Option:
    """An option of a metric. Help texts, cards and checks are made from this declaration.

    Attributes:
        default: the value if the user gives none; None if the metric chooses.
        type: the type of a value.
        about: one line of help.
        choices: the possible values; empty if every value of the type is possible.
    """

    default: Any
    type: type
    about: str
    choices: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> Any:
        """Return a given value as the option's type, reading text from a command line; None means the default."""
        if value is None:
            return self.default
        value = self._read(name, value)
        if self.choices and value not in self.choices:
            raise InputError(f"option {name} must be one of {', '.join(self.choices)}, got {value!r}")
        return value

    def _read(self, name: str, value: Any) -> Any:
        if type(value) is self.type:
            return value
        if self.type is bool and str(value).lower() in _SWITCH:
            return _SWITCH[str(value).lower()]
        if self.type is int and isinstance(value, str) and _WHOLE.fullmatch(value):
            return int(value)
        if self.type is float and isinstance(value, (int, str)) and not isinstance(value, bool):
            with suppress(ValueError, OverflowError):
                return float(value)
        if self.type is list and isinstance(value, Sequence) and not isinstance(value, str):
            return list(value)
        raise InputError(f"option {name} must be {_EXPECTED[self.type]}, got {value!r}")


_WHOLE = re.compile(r"-?[0-9]{1,18}")
_EXPECTED = {bool: "true or false", int: "a whole number", float: "a number", list: "a list", str: "a text"}
_SWITCH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
#: number format of a model that runs on this machine
DTYPE = Option("fp32", str, "number format of the model", ("fp32", "bf16", "fp16"))


#: sentences whose reading a run remembers: reports repeat them
_SENTENCES = 20_000


@dataclass
class Resources:
    """What scorers share in one run.

    Attributes:
        store: annotations, computed once per distinct text.
        device: `cuda`, `mps`, `cpu`, or None to choose.
        batch_tokens: token budget of a batch, or None to choose.
        progress: show bars on a terminal.
        lexicon: YAML files with further findings or regions for the findings parser.
        section: the section of the reports to score, or empty for whole reports.
    """

    store: AnnotationStore = field(default_factory=AnnotationStore)
    device: str | None = None
    batch_tokens: int | None = None
    progress: bool = True
    lexicon: tuple[str | Path, ...] = ()
    section: str = ""

    def __getstate__(self) -> dict[str, Any]:
        # a copy builds its own parser when it first needs one
        return {name: value for name, value in vars(self).items() if name not in ("reader", "cutter")}

    @cached_property
    def reader(self) -> ReportReader:
        """Return the findings parser of this run."""
        from radeval_core.annotators.findings import ReportReader
        from radeval_core.findings.parser import FindingsParser

        return ReportReader(FindingsParser(self.lexicon, remember=_SENTENCES))

    @cached_property
    def cutter(self) -> SectionCutter | None:
        """Return what cuts reports down to the section of this run; None if whole reports are scored."""
        from radeval_core.annotators.sections import SectionCutter

        return SectionCutter(self.section, self.reader.parser) if self.section else None

    def reports(self, texts: Sequence[str]) -> dict[str, ParsedReport]:
        """Return the parsed report of each distinct text."""
        return self.store.annotate(self.reader, texts)

    def coverage(self, texts: Sequence[str]) -> dict[str, Coverage]:
        """Return how much of each distinct text the findings parser understood."""
        from radeval_core.findings.coverage import coverage_of

        view = self.view("coverage", coverage_of, lambda read: 200 + 60 * len(read.unread))
        return self.store.annotate(view, texts)

    def view(self, name: str, view: Callable[[ParsedReport], S], size: Callable[[S], int]) -> ReportView[S]:
        """Return an annotator that reads a structure off parsed reports."""
        from radeval_core.annotators.findings import ReportView

        return ReportView(name, self.reader, self.store, view, size)


@dataclass
class PairScores:
    """What a scorer returns for a batch of pairs, one row per pair.

    Attributes:
        values: per-pair values, keyed by the metric's name and its parts. NaN marks an unscored pair.
        stats: per-pair statistics whose sum gives the headline; None means the values themselves.
        details: the structures behind each score, if requested.
        coverage: how much of each pair the findings parser understood; None if the config does not use the parser.
    """

    values: dict[str, Array]
    stats: Array | None = None
    details: list[dict[str, Any]] | None = None
    coverage: Sequence[PairCoverage] | None = None


class Scorer(ABC):
    """Scores pairs for one metric under one config and set of options."""

    spec: ClassVar[MetricSpec]
    #: options the metric takes
    options: ClassVar[Mapping[str, Option]] = {}
    #: True if it uses what is known about the patient: `Pair.context`
    uses_context: ClassVar[bool] = False
    #: numbers over the corpus that can be shown and compared like a part; their direction is the headline's
    corpus_numbers: ClassVar[tuple[str, ...]] = ()
    #: options that need all pairs in one process and in order; refused where the pairs are scored in parts
    whole_run_options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, config: Config, resources: Resources, checkpoint: str | None = None, **options: Any) -> None:
        self.config = config
        self.resources = resources
        self.checkpoint = checkpoint
        self.chosen = {name: option.default for name, option in self.options.items()}
        for name, value in options.items():
            self.chosen[name] = self.options[name].check(f"{self.spec.name}.{name}", value)
        self.prepare()

    def prepare(self) -> None:  # noqa: B027 - an optional hook
        """Check options and get ready. Errors of the user should be raised here, before any work."""

    @property
    def reads_findings(self) -> bool:
        """True if this config uses the findings parser, so that a lexicon can move its scores."""
        return False

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns of a file that this scorer reads besides the reports, such as `image` or `age`."""
        return CONTEXT_COLUMNS if self.uses_context else ()

    @property
    def two_pass(self) -> bool:
        """True if `observe` must see all pairs before the first is scored."""
        return self.spec.two_pass

    def observe(self, pairs: Sequence[Pair]) -> None:
        """Gather what is needed from the whole corpus, such as document frequencies: the first pass."""
        raise InputError(f"{self.spec.name} has no first pass")

    def observed(self, whole: bool = False) -> Any:
        """Return what the first pass gathered, as plain values for JSON: it is added up over the parts of a corpus.

        Args:
            whole: True if the corpus is complete; what can no longer move a score is left out then.
        """
        raise InputError(f"{self.spec.name} has a first pass that cannot be split: score the pairs in one process")

    def add_observed(self, observed: Any) -> None:
        """Add what the first pass gathered in a part of the corpus."""
        raise InputError(f"{self.spec.name} has a first pass that cannot be split: score the pairs in one process")

    def joined_fields(self, parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
        """Return the signature fields of a run from those of its parts; refuse parts of different models."""
        different = next((key for part in parts for key in part if part[key] != parts[0].get(key)), None)
        if different or any(part.keys() != parts[0].keys() for part in parts):
            raise InputError(
                f"parts of this run were scored by different models: their signatures of {self.spec.name} differ in "
                f"{different or 'their fields'}; delete the folder of the parts and start again"
            )
        return dict(parts[0])

    @abstractmethod
    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        """Score a batch of pairs, in order."""

    def summarise(self, sums: Array, n: int) -> dict[str, Array]:
        """Return headline and extras from summed statistics; leading axes of `sums` are resamples."""
        return {key: sums[..., i] / n for i, key in enumerate(self.value_names)}

    @property
    def pairwise(self) -> bool:
        """True if the scores of a pair depend on this pair alone, so that pairs of several runs can be scored at once.

        Pairs with boxes or a film are an exception: their hash is in the signature of a run.
        """
        return not self.two_pass

    @property
    def outcomes(self) -> Sequence[str | None]:
        """Return what a judge model did with each pair so far, in order; empty if the metric asks none.

        None: it was not asked. An empty text: it gave a usable answer. Another text: why it gave none; reasons quote no
        report and no server.
        """
        return ()

    @property
    def failures(self) -> Mapping[str, int]:
        """Return how often a model gave no usable answer so far, by reason."""
        return Counter(filter(None, self.outcomes))

    @property
    def judged(self) -> int:
        """Return for how many pairs a model gave a usable answer so far."""
        return sum(outcome == "" for outcome in self.outcomes)

    @property
    def asks(self) -> str:
        """Return the judge model that is asked, with its server; empty if the metric asks none."""
        return ""

    def report(self) -> dict[str, Any]:
        """Return further results that are not single numbers, by name; called after all pairs are scored."""
        return {}

    @property
    def value_names(self) -> tuple[str, ...]:
        return (self.spec.name, *self.spec.parts)

    def signature_fields(self) -> dict[str, object]:
        """Return what can change the score besides config, references and versions."""
        return {}

    def warm_up(self) -> None:  # noqa: B027 - an optional hook
        """Load what scoring will need, so that a missing checkpoint fails before the first pair."""
