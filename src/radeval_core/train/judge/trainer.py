"""TRL's SFTTrainer as judges need it: its settings, its adapter, and questions to the model between two steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from peft import LoraConfig
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from trl import SFTConfig, SFTTrainer

from radeval_core.judges.backends.transformers_backend import TransformersBackend
from radeval_core.train.judge.base_model import BaseModel
from radeval_core.train.judge.evaluation import evaluate_model
from radeval_core.train.judge.figures import measures
from radeval_core.train.judge.recipes import Recipe
from radeval_core.train.loop import common_arguments
from radeval_core.train.rows import TrainingRow
from radeval_core.train.run_folder import RunFolder


class JudgeTrainer(SFTTrainer):
    """TRL's trainer without its own model cards: a run has one card, written at its end."""

    def create_model_card(self, *_: Any, **__: Any) -> None:
        """Write nothing."""


def training_arguments(
    run: RunFolder,
    recipe: Recipe,
    every: Mapping[str, int],
    processes: int,
    *,
    device: str,
    seed: int,
    bf16: bool,
    packed_tokens: int | None = None,
) -> SFTConfig:
    """Return TRL's settings for a recipe.

    Args:
        run: the run's folder.
        recipe: the recipe.
        every: `save_steps` and `eval_steps`.
        processes: number of processes that share the work.
        device: `cpu`, `cuda` or `mps`.
        seed: of adapters, order and dropout.
        bf16: compute with bfloat16.
        packed_tokens: most tokens of a sequence of several examples; None without packing.
    """
    return SFTConfig(
        **common_arguments(run, seed=seed, device=device, save_steps=every["save_steps"], bf16=bf16),
        num_train_epochs=recipe.epochs,
        learning_rate=recipe.learning_rate,
        per_device_train_batch_size=recipe.batch,
        per_device_eval_batch_size=recipe.batch,
        gradient_accumulation_steps=recipe.accumulate(processes),
        warmup_steps=recipe.warmup,
        weight_decay=recipe.weight_decay,
        lr_scheduler_type=recipe.schedule,
        gradient_checkpointing=recipe.checkpointing,
        eval_strategy="steps",
        eval_steps=every["eval_steps"],
        packing=packed_tokens is not None,
        eval_packing=False,
        max_length=packed_tokens,
        # the examples have their token ids and labels already
        dataset_kwargs={"skip_prepare_dataset": True},
        dataloader_pin_memory=device == "cuda",
        ddp_find_unused_parameters=False,
    )


def adapter(recipe: Recipe, base: BaseModel) -> LoraConfig:
    """Return the low-rank adapter of a recipe."""
    return LoraConfig(
        r=recipe.lora_r,
        lora_alpha=recipe.lora_alpha,
        lora_dropout=recipe.lora_dropout,
        target_modules=base.targets(),
        task_type="CAUSAL_LM",
    )


class AskAtIntervals(TrainerCallback):
    """Asks the model in training about held-out pairs whenever its loss is measured on them.

    Args:
        run: gets the figures in its log.
        base: the model that is trained.
        rows: the pairs.
        progress: show a progress bar.
    """

    def __init__(self, run: RunFolder, base: BaseModel, rows: Sequence[TrainingRow], progress: bool) -> None:
        self.run, self.base, self.rows, self.progress = run, base, rows, progress

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, model: Any = None, **_: Any
    ) -> None:
        """Ask, and write the figures to the log."""
        was_training = model.training
        model.eval()
        dtype = str(model.dtype).removeprefix("torch.")
        backend = TransformersBackend.of_model(model, self.base.maker.tokenizer, self.base.name, dtype)
        found = evaluate_model(backend, self.rows, self.progress)
        model.train(was_training)
        self.run.log(state.global_step, measures(found.figures))
