"""The bridge to Hugging Face `evaluate`: the base class of every metric module."""

from __future__ import annotations

import hashlib
import inspect
from abc import ABC, abstractmethod
from typing import Any

import datasets
import evaluate

from radeval_core import api
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
        if predictions is not None:
            self._store(predictions, references, allow_empty=self.num_process > 1)
        elif self.writer is None:
            raise InputError("nothing to score: give predictions and references, or add some first")
        result: dict[str, Any] | None = super().compute(contexts=contexts, **options)
        return result

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add lists of reports to be scored together by `compute`."""
        self._store(predictions, references, allow_empty=True, **kwargs)

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
        (one,), (other,) = self._checked([prediction], [reference], allow_empty=False)
        super().add(prediction=one, reference=other, **kwargs)

    def _store(self, predictions: Any, references: Any, allow_empty: bool, **kwargs: Any) -> None:
        """Check lists of reports, once, and let evaluate keep them until `_compute` gets them back."""
        predictions, references = self._checked(predictions, references, allow_empty)
        super().add_batch(predictions=predictions, references=references, **kwargs)

    def _checked(self, predictions: Any, references: Any, allow_empty: bool) -> tuple[list[str], list[Any]]:
        """Return checked lists in the stored shape: references as lists if the metric takes several."""
        pairs = pairs_from_lists(predictions, references, self.metric, self._spec.multi_reference, allow_empty)
        stored = [list(p.references) if self._spec.multi_reference else p.reference for p in pairs]
        return [p.prediction for p in pairs], stored

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
            self._resources[key] = api.make_resources(**settings)
        loaded = api.LoadedMetric(self.metric, self._wanted_config, self._resources[key], given)
        return loaded.score_pairs(with_contexts(pairs, contexts), bool(detailed))


def _folder_name(config_name: str | None) -> str | None:
    """Return a config as a folder name: evaluate joins it to a path, which a checkpoint folder must not leave."""
    if config_name is None or config_name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        return config_name
    return "checkpoint-" + hashlib.sha256(config_name.encode()).hexdigest()[:12]
