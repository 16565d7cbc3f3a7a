"""Train a region detector into a run folder: read films, plan, train, measure beside the baselines, write the card."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from accelerate.utils import send_to_device
from transformers import TrainingArguments

from radeval_core.annotators.region_detector import THRESHOLD
from radeval_core.engine.checkpoints import QuietTransformers
from radeval_core.engine.devices import choose_device
from radeval_core.engine.processes import is_first_process, launched_count
from radeval_core.errors import InputError, is_out_of_memory
from radeval_core.findings.atlas import standard_atlas
from radeval_core.train.curves import write_curves
from radeval_core.train.detector.average_precision import BoxFigures, Detection, box_figures
from radeval_core.train.detector.base_model import BaseModel, load_base, save_detector
from radeval_core.train.detector.batches import Collator, FilmDataset, errors_of_workers
from radeval_core.train.detector.card import write_detector_card
from radeval_core.train.detector.film_plan import FilmPlan, film_cost, model_size
from radeval_core.train.detector.film_sources import read_films
from radeval_core.train.detector.films import TEST, TRAIN, VALIDATION, Film, constant_boxes, mean_boxes, split_films
from radeval_core.train.detector.recipe import get_recipe
from radeval_core.train.detector.trainer import DetectorTrainer
from radeval_core.train.loop import common_arguments, train
from radeval_core.train.run_folder import RunFolder, open_run

#: label of each curve by its name in the log
MEASURES = {"eval_ap": "AP", "eval_ap50": "AP50", "eval_mean_iou": "mean IoU"}


@dataclass(frozen=True)
class DetectorOptions:
    """What the user asks for.

    Attributes:
        base: detector to start from: Hub id, folder, or `small`.
        data: table, COCO's JSON, or folder of Chest ImaGenome.
        images: folder of the films, where the data does not have paths.
        scratch: start with random weights.
        recipe: name of the hyper-parameters.
        epochs: and the values below: instead of the recipe's; None for the recipe's.
        steps: number of steps, instead of epochs.
        size: width and height of the images the detector gets.
        flip: probability that a film is flipped from left to right.
        validation_share: share of the patients held out, if the data has no splits.
        eval_steps: steps between two evaluations; once per epoch if None.
        workers: processes that read films.
        bf16: compute with bfloat16.
        seed: of splits, new weights and the order of films.
        device: where to train.
    """

    base: str
    data: Path
    images: Path | None = None
    scratch: bool = False
    recipe: str = "detr"
    epochs: float | None = None
    batch: int | None = None
    accumulate: int | None = None
    learning_rate: float | None = None
    steps: int | None = None
    size: int | None = None
    flip: float = 0.0
    validation_share: float = 0.1
    eval_steps: int | None = None
    workers: int = 0
    bf16: bool = False
    seed: int = 0
    device: str | None = None


class DetectorRun:
    """A run that is ready to start: films, model and plan.

    Args:
        options: what the user asks for.

    Raises:
        InputError: an option, a film or a box is wrong.
        CheckpointError: the base is not a detector that can be trained.
    """

    def __init__(self, options: DetectorOptions) -> None:
        self.options = options
        self.recipe = get_recipe(options.recipe).with_values(
            epochs=options.epochs,
            batch=options.batch,
            accumulate=options.accumulate,
            learning_rate=options.learning_rate,
        )
        for name, value in (("steps", options.steps), ("eval-steps", options.eval_steps)):
            if value is not None and value < 1:
                raise InputError(f"--{name} must be at least 1, got {value}")
        if not 0 <= options.flip <= 1:
            raise InputError(f"--flip must be a probability from 0 to 1, got {options.flip:g}")
        self.device = choose_device(options.device)
        films, self.notes = read_films(options.data, options.images)
        self.splits = split_films(films, options.validation_share, options.seed)
        if not any(film.patient for film in films):
            self.notes.append("note: the data names no patients, so it is split by film")
        self.base: BaseModel = load_base(options.base, options.scratch, options.size, options.seed)
        most, queries = max(len(film.boxes) for film in films), getattr(self.base.model.config, "num_queries", None)
        if queries is not None and queries < most:
            self.notes.append(
                f"note: the detector has {queries} queries, but a film has {most} regions: some are missed"
            )
        per_step = self.recipe.batch * self.recipe.accumulate * launched_count()
        self.steps_per_epoch = max(1, math.ceil(len(self.splits[TRAIN]) / per_step))
        self.steps = options.steps or max(1, math.ceil(self.recipe.epochs * self.steps_per_epoch))
        self.eval_steps = min(options.eval_steps or self.steps_per_epoch, self.steps)

    @property
    def settings(self) -> dict[str, Any]:
        """Return everything that decides what the run computes."""
        options = self.options
        values = {name: value for name, value in asdict(self.recipe).items() if name != "about"}
        return {
            "kind": "detector",
            "base": self.base.name,
            "data": _fingerprint(self.splits),
            "recipe": options.recipe,
            **values,
            "steps": self.steps,
            "eval_steps": self.eval_steps,
            "size": options.size,
            "flip": options.flip,
            "bf16": options.bf16,
            "seed": options.seed,
        }

    def plan(self) -> FilmPlan:
        """Return what the run will do and cost."""
        films = FilmDataset(self.splits[TRAIN][: self.recipe.batch], self.base.processor, self.base.labels)
        batch = send_to_device(Collator(self.base.masks)([films[i] for i in range(len(films))]), self.device)
        try:
            seconds, kept = film_cost(self.base.model.to(self.device), batch)
        except RuntimeError as error:
            if is_out_of_memory(error):
                raise
            height, width = batch["pixel_values"].shape[2:]
            reason = str(error).strip().splitlines()[0]
            raise InputError(
                f"the detector cannot read a film of {width} x {height} pixels ({reason}): give --size, a multiple of "
                "its largest stride (32 for most)"
            ) from error
        processes = launched_count()
        evaluations = self.steps // self.eval_steps + 2  # before the first step, and of the best model
        return FilmPlan(
            rows={split: len(films) for split, films in self.splits.items() if films},
            steps=self.steps,
            tokens=self.steps * self.recipe.batch * self.recipe.accumulate * processes,
            longest=self.recipe.batch,
            size=model_size(self.base.model),
            device=self.device.type,
            processes=processes,
            notes=tuple(self.notes),
            film_seconds=seconds,
            film_bytes=kept,
            measured=evaluations * len(self.splits[VALIDATION]) + len(self.splits[TEST]),
        )

    def train(self, out: Path, plan: FilmPlan, progress: bool = True) -> dict[str, Any]:
        """Train into a folder, or go on where a killed run stopped, and return the results.

        Args:
            out: the folder: a new one, or that of a run that was killed.
            plan: what the run will cost.
            progress: show a progress bar.
        """
        with open_run(out, self.settings, plan.disk_bytes) as run, QuietTransformers():
            trainer = DetectorTrainer(
                self.base,
                self._arguments(run),
                self.splits[TRAIN],
                self.splits[VALIDATION],
                self.recipe.backbone_rate,
                self.options.flip,
            )
            with errors_of_workers():
                train(trainer, run, progress)
            results = self._results(trainer, run)
            if is_first_process():
                save_detector(self.base, out)
                write_curves(out, MEASURES)
                write_detector_card(out, self.settings, results)
                run.finish(results)
        return results

    def _arguments(self, run: RunFolder) -> TrainingArguments:
        recipe, options = self.recipe, self.options
        arguments = TrainingArguments(
            **common_arguments(
                run,
                seed=options.seed,
                device=self.device.type,
                save_steps=self.eval_steps,
                log_steps=max(1, min(50, self.eval_steps // 5)),
                bf16=options.bf16,
            ),
            max_steps=self.steps,
            per_device_train_batch_size=recipe.batch,
            per_device_eval_batch_size=recipe.batch,
            gradient_accumulation_steps=recipe.accumulate,
            learning_rate=recipe.learning_rate,
            weight_decay=recipe.weight_decay,
            max_grad_norm=recipe.clip,
            lr_scheduler_type=recipe.schedule,
            warmup_steps=min(recipe.warmup, self.steps // 10),
            eval_strategy="steps",
            eval_steps=self.eval_steps,
            eval_on_start=run.last_checkpoint() is None,  # the figures of the detector before training
            load_best_model_at_end=True,
            metric_for_best_model="ap",
            greater_is_better=True,
            remove_unused_columns=False,
            dataloader_num_workers=options.workers,
        )
        # torch's DataParallel would tear the boxes of a film apart; `accelerate launch` gives each GPU a process
        arguments._n_gpu = min(arguments.n_gpu, 1)
        return arguments

    def _results(self, trainer: DetectorTrainer, run: RunFolder) -> dict[str, Any]:
        """Return the figures of the best model, and of what it must beat."""
        log = run.logged()
        held_out = self.splits[VALIDATION]
        figures = trainer.figures(held_out)
        before = next(line for line in log if "eval_ap" in line)
        results: dict[str, Any] = {
            "films": {split: len(films) for split, films in self.splits.items() if films},
            "steps": trainer.state.max_steps,
            "best_step": trainer.state.best_global_step or trainer.state.max_steps,
            "regions": dict(sorted(Counter(region for film in self.splits[TRAIN] for region in film.boxes).items())),
            "validation": {
                "before training": {name: before[f"eval_{name}"] for name in figures.numbers()},
                "mean box of the training films": constant_figures(held_out, mean_boxes(self.splits[TRAIN])).numbers(),
                "standard atlas": constant_figures(held_out, standard_atlas()).numbers(),
                "trained": figures.numbers(),
            },
            "by_region": figures.by_region,
        }
        if self.splits[TEST]:
            results["test"] = trainer.figures(self.splits[TEST]).numbers()
        return results


def constant_figures(films: Sequence[Film], boxes: Any) -> BoxFigures:
    """Return the figures of boxes, given as fractions, that are the same on every film."""
    found = [[Detection(region, box, 1.0) for region, box in constant_boxes(boxes, film).items()] for film in films]
    return box_figures([film.boxes for film in films], found, THRESHOLD)


def _fingerprint(splits: dict[str, list[Film]]) -> str:
    """Return a hash of the films' names, boxes and splits. The pixels are not read."""
    content = [
        [split, Path(film.image).name, film.width, film.height, sorted(film.boxes.items())]
        for split, films in splits.items()
        for film in films
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
