"""Fine-tune a judge on a training file, and save a folder that loads as `--config METRIC=FOLDER`."""

from __future__ import annotations

import hashlib
import math
import resource
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from datasets import Dataset
from peft import PeftModel

from radeval_core.engine.checkpoints import QuietTransformers
from radeval_core.engine.devices import choose_device
from radeval_core.errors import InputError
from radeval_core.judges.backends.transformers_backend import TransformersBackend, load_causal_lm
from radeval_core.train.answer_forms import FORMS
from radeval_core.train.curves import write_curves
from radeval_core.train.judge.base_model import BaseModel, open_base
from radeval_core.train.judge.card import judge_card
from radeval_core.train.judge.evaluation import (
    Evaluation,
    evaluate_embedded,
    evaluate_model,
    evaluate_silence,
    write_answers,
)
from radeval_core.train.judge.examples import Examples, judge_examples
from radeval_core.train.judge.expert_agreement import expert_agreement
from radeval_core.train.judge.figures import MEASURES
from radeval_core.train.judge.packing import check_separate, packed
from radeval_core.train.judge.recipes import Recipe
from radeval_core.train.judge.trainer import AskAtIntervals, JudgeTrainer, adapter, training_arguments
from radeval_core.train.loop import shared_run, train
from radeval_core.train.model_card import write_card
from radeval_core.train.plan import Plan
from radeval_core.train.rows import read_training_rows, rows_of
from radeval_core.train.run_folder import RunFolder

#: evaluations and checkpoints per run, unless the user says how many steps lie between two
_EVALUATIONS, _CHECKPOINTS = 4, 8


@dataclass(frozen=True)
class JudgeOptions:
    """What a user asks for.

    Attributes:
        base: Hub id or folder of the model to train.
        data: training file.
        recipe_name: name of the recipe.
        recipe: its settings, with the user's changes.
        device: `cpu`, `cuda`, `mps`, or None for the best one.
        bf16: compute with bfloat16; None for yes on GPUs that can.
        packing: put several examples into one sequence.
        drop_long: leave out rows that do not fit, instead of an error.
        seed: of adapters, order and dropout.
        eval_steps: steps between two evaluations; None for four in a run.
        eval_rows: how many validation pairs each of them asks about.
        save_steps: steps between two checkpoints; None for eight in a run.
        test_rows: how many held-out pairs the final figures use; None for all.
        with_base: also ask the untrained model about them.
        finish: train no further, and save the last checkpoint of a stopped run as it is.
        experts: optional data with expert numbers, as `radeval bench` reads it.
        licence: licence of the trained weights, for the card.
    """

    base: str
    data: Path
    recipe_name: str
    recipe: Recipe
    device: str | None = None
    bf16: bool | None = None
    packing: bool = False
    drop_long: bool = False
    seed: int = 0
    eval_steps: int | None = None
    eval_rows: int = 32
    save_steps: int | None = None
    test_rows: int | None = None
    with_base: bool = False
    finish: bool = False
    experts: str | None = None
    licence: str = "other"


class JudgeTraining:
    """A planned training of a judge. Everything is read and checked here; `run` starts it.

    Raises:
        InputError: the data, the model or the settings do not fit together.
    """

    def __init__(self, options: JudgeOptions) -> None:
        self.options = options
        self.device = choose_device(options.device)
        self.state = PartialState(cpu=self.device.type == "cpu")
        self.processes, self.is_first = self.state.num_processes, self.state.is_main_process
        if self.device.type == "cuda" and torch.cuda.device_count() > 1 and self.processes == 1:
            raise InputError(
                f"{torch.cuda.device_count()} GPUs are visible to one process: start the run with `accelerate launch "
                "-m radeval_core.cli train judge ...` to use them all, or set CUDA_VISIBLE_DEVICES=0 to use one"
            )
        gpu = self.device.type == "cuda"
        self.bf16 = options.bf16 if options.bf16 is not None else gpu and torch.cuda.is_bf16_supported()
        rows = read_training_rows(options.data)
        self.metric = rows[0].metric
        self.train_rows, self.validation_rows = rows_of(rows, "train"), rows_of(rows, "validation")
        tested = [row for row in rows if row.split == "test"] or self.validation_rows
        self.test_rows = tested[: options.test_rows]
        self.base: BaseModel = open_base(options.base)
        most = options.recipe.max_tokens
        self.train_examples = judge_examples(self.train_rows, self.base.maker, most).checked(options.drop_long)
        self.validation_examples = judge_examples(self.validation_rows, self.base.maker, most).checked(
            options.drop_long
        )

    @cached_property
    def train_set(self) -> Dataset:
        """Return the training examples, packed if that is asked for."""
        dataset = _dataset(self.train_examples)
        return packed(dataset, self.train_examples.limit) if self.options.packing else dataset

    @property
    def steps(self) -> int:
        """Return the number of optimiser steps, as the trainer counts them."""
        recipe = self.options.recipe
        passes = math.ceil(math.ceil(len(self.train_set) / recipe.batch) / self.processes)
        return max(1, math.ceil(passes / recipe.accumulate(self.processes))) * recipe.epochs

    @property
    def weight_dtype(self) -> torch.dtype:
        """Return the number format of the weights: those that are trained stay in fp32."""
        return torch.bfloat16 if self.bf16 and not self.options.recipe.full else torch.float32

    @property
    def plan(self) -> Plan:
        """Return what the run will do."""
        recipe = self.options.recipe
        longest = max(map(len, self.train_set["input_ids"]))
        return Plan(
            rows={"train": len(self.train_examples.kept), "validation": len(self.validation_examples.kept)}
            | {"test": len(self.test_rows)},
            steps=self.steps,
            tokens=recipe.epochs * sum(map(len, self.train_examples.kept)),
            longest=recipe.batch * longest,
            size=self.base.size(recipe, self.weight_dtype.itemsize),
            device=self.device.type,
            checkpointing=recipe.checkpointing,
            processes=self.processes,
            notes=tuple(self._notes()),
        )

    def _notes(self) -> list[str]:
        recipe, notes = self.options.recipe, []
        left_out = self.train_examples.too_long + self.validation_examples.too_long
        if left_out:
            notes.append(
                f"left out: {len(left_out)} rows with more than {self.train_examples.limit} tokens, "
                f"the first is {left_out[0]!r}"
            )
        if len(self.train_set) < recipe.total_batch:
            notes.append(
                f"note:    one step per epoch: there are {len(self.train_set)} sequences and --total-batch is "
                f"{recipe.total_batch}"
            )
        return notes

    @property
    def settings(self) -> dict[str, Any]:
        """Return everything that decides what the run computes."""
        with open(self.options.data, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {
            "kind": "judge",
            "metric": self.metric,
            "prompt": FORMS[self.metric].instructions().identity,
            "base": self.base.name,
            "data_sha256": digest,
            "recipe": self.options.recipe_name,
            **self.options.recipe.as_dict(),
            "bf16": self.bf16,
            "packing": self.options.packing,
            "seed": self.options.seed,
            "processes": self.processes,
        }

    def run(self, out: Path, progress: bool = True) -> dict[str, Any]:
        """Train, save and evaluate; go on if the folder has the same run. Return the results.

        Of several processes, the first one saves and writes; all of them share the questions to the trained judge.

        Raises:
            StoppedRun: a signal came; the same command goes on.
        """
        with shared_run(out, self.settings, self.plan.disk_bytes) as run:
            if not self.options.finish:
                train(self._trainer(run, progress), run, progress)
            elif not run.last_step:
                raise InputError(f"--finish: {out} has no checkpoint of this run; leave --finish out to train")
            if self.is_first:
                self._save(run)
            self.state.wait_for_everyone()
            trained = evaluate_model(TransformersBackend(str(out), self.options.device), self.test_rows, progress)
            results = self._results(run, trained, progress)
            if self.is_first:
                write_answers(out, trained)
                write_curves(out, MEASURES)
                write_card(out, judge_card(run.settings, results, self.base.shown_name, self.options.licence))
                run.finish(results)
            return results

    def _trainer(self, run: RunFolder, progress: bool) -> JudgeTrainer:
        options = self.options
        model = self.base.load(self.weight_dtype)
        if options.packing:
            check_separate(model, self.base.shown_name)
        every = {
            "save_steps": options.save_steps or math.ceil(self.steps / _CHECKPOINTS),
            "eval_steps": options.eval_steps or math.ceil(self.steps / _EVALUATIONS),
        }
        trainer = JudgeTrainer(
            model=model,
            args=training_arguments(
                run,
                options.recipe,
                every,
                self.processes,
                device=self.device.type,
                seed=options.seed,
                bf16=self.bf16,
                packed_tokens=self.train_examples.limit if options.packing else None,
            ),
            train_dataset=self.train_set,
            eval_dataset=_dataset(self.validation_examples),
            processing_class=self.base.maker.tokenizer,
            peft_config=None if options.recipe.full else adapter(options.recipe, self.base),
        )
        if self.processes == 1:  # the parts of a model on several devices cannot write answers between two steps
            trainer.add_callback(AskAtIntervals(run, self.base, self.validation_rows[: options.eval_rows], progress))
        return trainer

    def _save(self, run: RunFolder) -> None:
        """Save the trained model from the last checkpoint; an adapter becomes part of the weights."""
        last = run.last_checkpoint()
        assert last is not None  # the trainer writes one after its last step
        dtype = torch.bfloat16 if self.bf16 else torch.float32
        if self.options.recipe.full:
            model = load_causal_lm(str(last), dtype, None)[0]
        else:
            adapted = PeftModel.from_pretrained(self.base.load(dtype), str(last), trust_remote_code=False)
            model = adapted.merge_and_unload()
        with QuietTransformers():
            model.save_pretrained(run.path)
        self.base.maker.tokenizer.save_pretrained(run.path)

    def _results(self, run: RunFolder, trained: Evaluation, progress: bool) -> dict[str, Any]:
        """Return the results of the run, with other judges and experts beside the trained one if asked for."""
        judges = {
            "trained": trained,
            "embedded": evaluate_embedded(self.test_rows, progress),
            "silent": evaluate_silence(self.test_rows),
        }
        if self.options.with_base:
            base = TransformersBackend(self.options.base, self.options.device)
            judges["base"] = evaluate_model(base, self.test_rows, progress)
        results = {
            "rows": self.plan.rows,
            "steps": run.last_step,
            "planned_steps": self.steps,
            "seconds": _last(run, "train_runtime"),
            "memory_bytes": _memory(self.device),
            "held_out": self.test_rows[0].split,
            "teachers": sorted({row.teacher for row in self.train_rows}),
            "left_out": len(self.train_examples.too_long) + len(self.validation_examples.too_long),
            "judges": {name: _result(found) for name, found in judges.items()},
        }
        if self.options.experts:
            results["experts"] = expert_agreement(self.metric, run.path, self.options.experts, self.options.device)
        return results


def _dataset(examples: Examples) -> Dataset:
    kept = examples.kept
    return Dataset.from_dict({"input_ids": [e.ids for e in kept], "labels": [e.labels for e in kept]})


def _result(found: Evaluation) -> dict[str, Any]:
    return {"figures": found.figures, "cost": found.cost}


def _last(run: RunFolder, name: str) -> float | None:
    """Return the last logged value of a name; None if there is none."""
    return next((line[name] for line in reversed(run.logged()) if name in line), None)


def _memory(device: torch.device) -> int:
    """Return the most memory that was used so far: of the GPU, or of this process."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated())
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
