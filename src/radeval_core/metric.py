"""The bridge to Hugging Face `evaluate`: what every metric module inherits."""

from __future__ import annotations

import hashlib
import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import datasets
import evaluate

from radeval_core import api
from radeval_core.errors import InputError, unknown_name
from radeval_core.pairs import pairs_from_lists
from radeval_core.registry import get_spec, resolve_config
from radeval_core.scorer import Resources


class ReportMetric(evaluate.Metric, ABC):
    """Base of the metric modules. A module names its metric and lists its options; everything else is here.

    It is abstract so that `evaluate`, which takes the first concrete class it finds in a module, skips it.
    """

    metric: ClassVar[str]

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
        # patient data, so a single process never writes them; several processes have no other way to meet.
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
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": text, "references": references}),
            reference_urls=list(self._spec.urls),
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> dict[str, Any] | None:
        """Score the given lists of reports, or what was added before."""
        if (predictions is None) != (references is None):
            raise InputError("predictions and references must be given together")
        if predictions is not None:
            predictions, references = self._checked(predictions, references, allow_empty=self.num_process > 1)
        elif self.writer is None:
            raise InputError("nothing to score: give predictions and references, or add some first")
        known = list(inspect.signature(self._compute).parameters)[2:]
        for option in kwargs:
            if option not in known:
                raise unknown_name(f"option of {self.metric}", option, known)
        result: dict[str, Any] | None = super().compute(predictions=predictions, references=references, **kwargs)
        return result

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add lists of reports to be scored together by `compute`."""
        predictions, references = self._checked(predictions, references, allow_empty=True)
        super().add_batch(predictions=predictions, references=references, **kwargs)

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
        # evaluate.combine hands a single pair on under the plural names
        prediction = predictions if prediction is None else prediction
        reference = references if reference is None else reference
        (one,), (other,) = self._checked([prediction], [reference], allow_empty=False)
        super().add(prediction=one, reference=other, **kwargs)

    @abstractmethod
    def _compute(self, predictions: Any, references: Any, detailed: bool = False) -> dict[str, Any]:
        """Pass the lists and the module's own options on to `score_lists`."""

    def score_lists(self, predictions: Any, references: Any, detailed: bool, **options: Any) -> dict[str, Any]:
        """Score lists of reports under the module's config and options. Options left at None are not passed on."""
        given = {key: value for key, value in options.items() if value is not None}
        engine = {key: given.pop(key) for key in ("device", "batch_tokens", "cache") if key in given}
        resources = self._resources.setdefault(repr(engine), api.make_resources(**engine))
        loaded = api.LoadedMetric(self.metric, self._wanted_config, resources, given)
        return loaded.compute(predictions, references, detailed)

    def _checked(self, predictions: Any, references: Any, allow_empty: bool) -> tuple[list[str], list[Any]]:
        """Checked lists in the stored shape: references as lists where the metric takes several."""
        pairs = pairs_from_lists(predictions, references, self.metric, self._spec.multi_reference, allow_empty)
        stored = [list(p.references) if self._spec.multi_reference else p.reference for p in pairs]
        return [p.prediction for p in pairs], stored


_INPUTS = """
Args:
    predictions: list of generated reports.
    references: list of reference reports, one for each prediction; a list of reports for each prediction where the
        metric takes several.
    detailed: also return the structures behind each score, under "details".

Returns:
    The headline under the metric's name, one float a pair under "scores", further named numbers, and a "signature"
    with everything that can move the number.
"""


def _folder_name(config_name: str | None) -> str | None:
    """A config as a folder name: evaluate joins it to a path, where a user's checkpoint folder must not lead out."""
    if config_name is None or config_name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        return config_name
    return "checkpoint-" + hashlib.sha256(config_name.encode()).hexdigest()[:12]
