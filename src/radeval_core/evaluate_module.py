"""The bridge to Hugging Face `evaluate`: the base class of every metric module."""

from __future__ import annotations

import hashlib
import inspect
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any

import datasets
import evaluate
from evaluate.loading import init_dynamic_modules

from radeval_core import api
from radeval_core.engine.fork_safe_lock import ForkSafeLock
from radeval_core.errors import InputError, unknown_name
from radeval_core.metric_help import RUN_OPTIONS, compute_options, inputs_text
from radeval_core.metrics.base import Resources
from radeval_core.metrics.configs import resolve_config
from radeval_core.pairs import Pair, no_pairs, pairs_from_lists, with_contexts
from radeval_core.registry import get_spec


class ReportMetric(evaluate.Metric, ABC):
    """Base of the metric modules. A module documents and names its metric; everything else is here.

    `evaluate` takes the first class of a module that is not abstract. This one is: it has no metric.
    """

    @property
    @abstractmethod
    def metric(self) -> str:
        """Name of the metric. A module sets it as a class attribute."""

    def __init__(
        self,
        config_name: str | None = None,
        keep_in_memory: bool = False,
        num_process: int = 1,
        **kwargs: Any,
    ) -> None:
        self._spec = get_spec(self.metric)
        resolve_config(self._spec, config_name)
        self._wanted_config = config_name
        self._resources: dict[str, Resources] = {}
        # How to make the module again: evaluate puts functions into its instances, which cannot be pickled.
        self._made_with = {"config_name": config_name, "num_process": num_process, **kwargs}
        #: what was added and not scored yet; None if nothing was added
        self._rows: list[tuple[str, Any]] | None = None
        self._lock = ForkSafeLock()
        # evaluate writes the reports to its cache folder in clear unless told to keep them in memory. They are
        # patient data, so a single process never writes them; several processes have no other way to share them.
        super().__init__(
            config_name=_folder_name(config_name),
            keep_in_memory=keep_in_memory or num_process == 1,
            num_process=num_process,
            **kwargs,
        )
        api.announce(self._spec, config_name or self._spec.default_config.name)

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        references = datasets.Sequence(text) if self._spec.multi_reference else text
        return evaluate.MetricInfo(
            description=inspect.cleandoc(type(self).__doc__ or self._spec.measures),
            citation=self._spec.citation,
            inputs_description=inputs_text(self.metric),
            features=datasets.Features({"predictions": text, "references": references}),
            reference_urls=list(self._spec.urls),
        )

    def compute(
        self, *, predictions: Any = None, references: Any = None, contexts: Any = None, **options: Any
    ) -> dict[str, Any] | None:
        """Score the given lists of reports, or the reports added before.

        `contexts` has one mapping or None per pair, see `patient_context`; most metrics ignore it.
        """
        if (predictions is None) != (references is None):
            raise InputError("predictions and references must be given together")
        known = compute_options(self.metric)
        for option in options:
            if option not in known:
                raise unknown_name(f"option of {self.metric}", option, known)
        given = self._checked(predictions, references, self.num_process > 1) if predictions is not None else None
        if self.num_process > 1:
            return self._compute_shared(given, contexts, options)
        with self._lock:  # what was added before is scored once, by whoever computes first
            added, self._rows = self._rows, None
        if added is None and given is None:
            raise InputError("nothing to score: give predictions and references, or add some first")
        try:
            predicted, compared = _columns([*(added or []), *(given or [])])
            result: dict[str, Any] = self._compute(predicted, compared, contexts=contexts, **options)
        except BaseException:
            if added:  # not lost: the next call may have the option right
                with self._lock:
                    self._rows = [*added, *(self._rows or [])]
            raise
        return result

    def _compute_shared(
        self, given: list[tuple[str, Any]] | None, contexts: Any, options: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Score the reports of several processes: evaluate brings them together, through files."""
        with self._lock:
            if given is not None:
                self._write(given)
            elif self.writer is None:
                raise InputError("nothing to score: give predictions and references, or add some first")
            result: dict[str, Any] | None = super().compute(contexts=contexts, **options)
            return result

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add lists of reports to be scored together by `compute`."""
        self._add(self._checked(predictions, references, allow_empty=True), kwargs)

    def add(
        self,
        *,
        prediction: Any = None,
        reference: Any = None,
        predictions: Any = None,
        references: Any = None,
        **kwargs: Any,
    ) -> None:
        """Add one pair of reports to be scored together by `compute`."""
        # evaluate.combine passes a single pair under the plural names
        prediction = predictions if prediction is None else prediction
        reference = references if reference is None else reference
        self._add(self._checked([prediction], [reference], allow_empty=False), kwargs)

    def _add(self, rows: list[tuple[str, Any]], more: dict[str, Any]) -> None:
        """Keep checked rows until `compute`: in this object, or in evaluate's file if several processes share them."""
        for name in more:
            raise unknown_name(f"input of {self.metric}", name, ["predictions", "references"])
        with self._lock:
            if self.num_process > 1:
                self._write(rows)
            else:
                self._rows = [] if self._rows is None else self._rows
                self._rows.extend(rows)

    def _write(self, rows: list[tuple[str, Any]]) -> None:
        predictions, references = _columns(rows)
        super().add_batch(predictions=predictions, references=references)

    def _checked(self, predictions: Any, references: Any, allow_empty: bool) -> list[tuple[str, Any]]:
        """Return checked rows in the stored shape: references as a list if the metric takes several."""
        pairs = pairs_from_lists(predictions, references, self.metric, self._spec.multi_reference, allow_empty)
        several = self._spec.multi_reference
        return [(p.prediction, list(p.references) if several else p.reference) for p in pairs]

    def __len__(self) -> int:
        """Return the number of pairs added and not scored yet."""
        return len(self._rows or ()) if self.num_process == 1 else int(super().__len__())

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the module as how it was made and what was added to it; models are loaded again if needed."""
        if self.writer is not None:
            raise InputError(
                f"this {self.metric} module shares reports with other processes through a file, so it cannot be copied "
                "or pickled now: call compute() first"
            )
        with self._lock:
            rows = None if self._rows is None else list(self._rows)
        return _made_again, (type(self).__module__, type(self).__qualname__, self._made_with), {"_rows": rows}

    def _compute(
        self, predictions: Any, references: Any, detailed: bool = False, contexts: Any = None, **options: Any
    ) -> dict[str, Any]:
        """Score the stored reports under the module's config. An option that is None has its default."""
        if not predictions:
            raise no_pairs()
        pairs = [
            Pair(prediction, (reference,) if isinstance(reference, str) else tuple(reference), i)
            for i, (prediction, reference) in enumerate(zip(predictions, references, strict=True))
        ]
        given = {key: value for key, value in options.items() if value is not None}
        settings = {key: given.pop(key) for key in RUN_OPTIONS if key in given}
        key = repr(settings)
        if key not in self._resources:
            self._resources.setdefault(key, api.make_resources(**settings))  # threads share what the first made
        loaded = api.LoadedMetric(self.metric, self._wanted_config, self._resources[key], given)
        return loaded.score_pairs(with_contexts(pairs, contexts), bool(detailed))


def _columns(rows: list[tuple[str, Any]]) -> tuple[list[str], list[Any]]:
    """Return the predictions and the references of rows."""
    return [prediction for prediction, _ in rows], [reference for _, reference in rows]


def _made_again(module: str, name: str, settings: dict[str, Any]) -> ReportMetric:
    """Return a module made with the same settings, also in a process that has not loaded it yet."""
    init_dynamic_modules()  # lets Python find the modules that evaluate copied to its cache
    made: ReportMetric = getattr(import_module(module), name)(**settings)
    return made


def _folder_name(config_name: str | None) -> str | None:
    """Return a config as a folder name: evaluate joins it to a path, which a checkpoint folder must not leave."""
    if config_name is None or config_name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        return config_name
    return "checkpoint-" + hashlib.sha256(config_name.encode()).hexdigest()[:12]
