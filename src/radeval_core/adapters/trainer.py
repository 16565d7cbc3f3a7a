"""`compute_metrics` for the `Trainer` and `Seq2SeqTrainer` of transformers.

The same object serves both forms: called once with all predictions, or, with `batch_eval_metrics=True`, batch by batch
with `compute_result`. It needs only the tokenizer, so it imports neither torch nor transformers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from radeval_core.adapters.metric_set import MetricSet
from radeval_core.api import Scores
from radeval_core.errors import InputError, unknown_name

#: what the Trainer puts where there is no token
NO_TOKEN = -100
_MODELS = ("seq2seq", "causal")


class Tokenizer(Protocol):
    """What is needed of a tokenizer."""

    def decode(self, token_ids: Any, skip_special_tokens: bool = False) -> str:
        """Return the text of some tokens."""


class ComputeMetrics:
    """Decodes predictions and labels and scores them.

    Args:
        metrics: names such as `radgraph_f1` or `green.error_count`, or a single one.
        tokenizer: decodes predictions and labels.
        teacher_forcing: how to read predictions that were made with the reference as input. With None, predictions are
            generated tokens (`Seq2SeqTrainer` with `predict_with_generate=True`), and logits are refused. With
            `seq2seq`, they are logits, or their best tokens (`best_tokens`), of an encoder-decoder; with `causal`, of a
            decoder-only model, whose logits are about the next token. Such scores are higher than those of generated
            reports: the model sees the reference up to each token.
        decoder_only: generated tokens begin with the prompt: cut it off. Needs `include_for_metrics=["inputs"]`.
        configs: config by metric.
        options: options by metric.
        settings: `device`, `section` and others, as for `radeval_core.load`.

    Attributes:
        scores: the result of the last evaluation, with intervals and signatures; it contains no text.
    """

    def __init__(
        self,
        metrics: str | Sequence[str],
        tokenizer: Tokenizer,
        *,
        teacher_forcing: Literal["seq2seq", "causal"] | None = None,
        decoder_only: bool = False,
        configs: Mapping[str, str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        **settings: Any,
    ) -> None:
        if teacher_forcing is not None and teacher_forcing not in _MODELS:
            raise unknown_name("teacher_forcing", str(teacher_forcing), _MODELS)
        if teacher_forcing and decoder_only:
            raise InputError("decoder_only is for generated tokens: leave it out with teacher_forcing")
        self._metrics = MetricSet(metrics, configs, options, **settings)
        self._tokenizer = tokenizer
        self._teacher_forcing = teacher_forcing
        self._decoder_only = decoder_only
        self._predictions: list[str] = []
        self._references: list[str] = []
        self.scores: Scores | None = None

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Add an `EvalPrediction`; return the numbers of all that were added if `compute_result`.

        Each name that was asked for has its number, NaN if no pair could be scored, and `NAME_unscored` is the number
        of pairs without a score.
        """
        predictions, references = self._texts(prediction)
        self._predictions += predictions
        self._references += references
        if not compute_result:
            return {}
        try:
            self.scores = self._metrics.score(self._predictions, self._references)
        finally:
            self.reset()
        table = self.scores.table()
        numbers = {name: math.nan if row["score"] is None else row["score"] for name, row in table.items()}
        return {**numbers, **{f"{name}_unscored": float(row["unscored"]) for name, row in table.items()}}

    def reset(self) -> None:
        """Forget what was added: call it after an evaluation that was broken off in the middle."""
        self._predictions, self._references = [], []

    def _texts(self, prediction: Any) -> tuple[list[str], list[str]]:
        labels = _array(prediction.label_ids)
        found = _array(prediction.predictions)
        if len(found) != len(labels):
            raise InputError(f"there are {len(found)} predictions and {len(labels)} labels: they must be as many")
        if self._teacher_forcing:
            found, labels = _aligned(found, labels, self._teacher_forcing)
        elif found.ndim != 2:
            raise InputError(
                f"predictions must be generated tokens with 2 axes, got {found.ndim} axes: use Seq2SeqTrainer with "
                "predict_with_generate=True, or say that these are logits: teacher_forcing='seq2seq' or 'causal'"
            )
        elif self._decoder_only:
            found = _without_prompt(found, prediction.inputs)
        return self._decoded(found), self._decoded(labels)

    def _decoded(self, rows: NDArray[Any]) -> list[str]:
        kept = (row[row != NO_TOKEN].tolist() for row in rows)
        return [self._tokenizer.decode(tokens, skip_special_tokens=True).strip() for tokens in kept]


def best_tokens(logits: Any, labels: Any) -> Any:
    """Return the most likely tokens, for `preprocess_logits_for_metrics`: logits of a test set fill the memory."""
    return (logits[0] if isinstance(logits, tuple) else logits).argmax(-1)


def _array(values: Any) -> NDArray[Any]:
    """Return predictions or labels as an array: the first of several outputs, from any device."""
    values = values[0] if isinstance(values, tuple) else values
    if hasattr(values, "detach"):  # batch_eval_metrics hands over tensors; numpy has no bfloat16
        values = values.detach().cpu()
        values = values.float() if values.is_floating_point() else values
    return np.asarray(values)


def _aligned(found: NDArray[Any], labels: NDArray[Any], model: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the predicted token of each label, and the labels; where there is no label, there is no prediction."""
    tokens = found.argmax(-1) if found.ndim == 3 else found
    if model == "causal":
        tokens, labels = tokens[:, :-1], labels[:, 1:]
    if tokens.shape != labels.shape:
        raise InputError(f"logits are for {tokens.shape} tokens, but there are {labels.shape} labels")
    return np.where(labels == NO_TOKEN, NO_TOKEN, tokens), labels


def _without_prompt(found: NDArray[Any], inputs: Any) -> NDArray[Any]:
    """Return generated tokens without the prompt they begin with."""
    inputs = inputs.get("input_ids") if isinstance(inputs, Mapping) else inputs
    if inputs is None:
        raise InputError('decoder_only needs the prompts: set include_for_metrics=["inputs"] in the TrainingArguments')
    # batches are as wide as their longest prompt; the Trainer fills them up with NO_TOKEN on the right
    widths = (_array(inputs) != NO_TOKEN).sum(axis=1, keepdims=True)
    return np.where(np.arange(found.shape[1]) < widths, NO_TOKEN, found)
