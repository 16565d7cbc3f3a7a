"""Transformers' Trainer for detectors: a lower rate for the backbone, and figures of the boxes on held-out films."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from transformers import EvalPrediction, Trainer, TrainingArguments

from radeval_core.annotators.region_detector import THRESHOLD
from radeval_core.engine.checkpoints import pretrained
from radeval_core.findings.types import Box
from radeval_core.train.detector.average_precision import BoxFigures, Detection, box_figures
from radeval_core.train.detector.base_model import BaseModel
from radeval_core.train.detector.batches import Collator, FilmDataset
from radeval_core.train.detector.films import Film

#: films whose boxes are computed from a model's answers at once
_CHUNK = 64


class DetectorTrainer(Trainer):
    """Trains a detector.

    Args:
        base: the detector.
        arguments: of the training.
        train: films to train on.
        held_out: films to measure with.
        backbone_rate: learning rate of the backbone as a share of the others'.
        flip: probability that a film is flipped.
    """

    # set by transformers, without types
    data_collator: Any
    optimizer: Any

    def __init__(
        self,
        base: BaseModel,
        arguments: TrainingArguments,
        train: Sequence[Film],
        held_out: Sequence[Film],
        backbone_rate: float,
        flip: float,
    ) -> None:
        self._base, self._backbone_rate = base, backbone_rate
        self._measured = held_out
        self._figures: BoxFigures | None = None
        super().__init__(
            model=base.model,
            args=arguments,
            train_dataset=FilmDataset(train, base.processor, base.labels, flip),
            eval_dataset=FilmDataset(held_out, base.processor, base.labels),
            data_collator=Collator(base.masks),
            compute_metrics=self._measure,
        )

    def figures(self, films: Sequence[Film]) -> BoxFigures:
        """Return how well the detector's boxes fit on films."""
        self._measured = films
        films_to_measure = FilmDataset(films, self._base.processor, self._base.labels)
        # not `evaluate`, which would write the figures into the log
        self.evaluation_loop(self.get_eval_dataloader(films_to_measure), "measure")
        assert self._figures is not None  # the loop called _measure
        return self._figures

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        training, self.data_collator = self.data_collator, Collator(self._base.masks, numbered=True)
        try:
            return super().get_eval_dataloader(eval_dataset)
        finally:
            self.data_collator = training

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        if self.optimizer is None:
            model = model or self.model
            kind, settings = self.get_optimizer_cls_and_kwargs(self.args, model)
            decayed = set(self.get_decay_parameter_names(model))
            groups: dict[tuple[bool, bool], list[Any]] = {}
            for name, weights in model.named_parameters():
                if weights.requires_grad:
                    groups.setdefault(("backbone" in name, name in decayed), []).append(weights)
            rate = self.args.learning_rate
            self.optimizer = kind(
                [
                    {
                        "params": weights,
                        "lr": rate * (self._backbone_rate if backbone else 1),
                        "weight_decay": self.args.weight_decay if decays else 0.0,
                    }
                    for (backbone, decays), weights in groups.items()
                ],
                **settings,
            )
        return self.optimizer

    def prediction_step(
        self, model: Any, inputs: dict[str, Any], prediction_loss_only: bool, ignore_keys: list[str] | None = None
    ) -> tuple[Any, Any, Any]:
        inputs = self._prepare_inputs(inputs)
        films = inputs.pop("film")
        with torch.no_grad(), self.compute_loss_context_manager():
            output = model(**inputs)
        return output.loss.detach().mean(), (output.logits.float(), output.pred_boxes.float()), films

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        """Load a checkpoint's weights, all of them.

        Detectors are stored under older names of their tensors. The Trainer compares these with today's names and goes
        on with random weights where they differ; `from_pretrained` knows both.
        """
        model = model or self.model
        stored = pretrained(type(self._base.model), resume_from_checkpoint)
        self.accelerator.unwrap_model(model).load_state_dict(stored.state_dict(), strict=True)

    def _load_best_model(self) -> None:
        self._load_from_checkpoint(self.state.best_model_checkpoint)

    def _measure(self, predicted: EvalPrediction) -> dict[str, float]:
        logits, boxes = predicted.predictions
        found = detections(self._base, [self._measured[i] for i in predicted.label_ids], logits, boxes)
        truth = [self._measured[i].boxes for i in predicted.label_ids]
        self._figures = box_figures(truth, found, THRESHOLD)
        return self._figures.numbers()


def detections(base: BaseModel, films: Sequence[Film], logits: Any, boxes: Any) -> list[list[Detection]]:
    """Return the detections on each film from a model's answers, computed as `ffl_rq` does."""
    regions = {number: region for region, number in base.labels.items()}
    found = []
    for first in range(0, len(films), _CHUNK):
        part = slice(first, first + _CHUNK)
        output = SimpleNamespace(logits=torch.as_tensor(logits[part]), pred_boxes=torch.as_tensor(boxes[part]))
        sizes = torch.tensor([(film.height, film.width) for film in films[part]])
        results = base.processor.post_process_object_detection(output, threshold=0.0, target_sizes=sizes)
        for film, result in zip(films[part], results, strict=True):
            edges = np.array([film.width, film.height] * 2)
            clipped = np.clip(result["boxes"].numpy(), 0, edges)
            found.append(
                [
                    Detection(regions[label], _box(box), score)
                    for label, box, score in zip(
                        result["labels"].tolist(), clipped.tolist(), result["scores"].tolist(), strict=True
                    )
                    if box[0] < box[2] and box[1] < box[3]
                ]
            )
    return found


def _box(values: Sequence[float]) -> Box:
    x1, y1, x2, y2 = values
    return x1, y1, x2, y2
