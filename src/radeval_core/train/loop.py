"""Run transformers' Trainer in a run folder: progress, log, checkpoints; go on after a kill, stop on a signal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from accelerate import PartialState
from tqdm import tqdm
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from transformers.trainer_callback import PrinterCallback, ProgressCallback

from radeval_core.engine.checkpoints import QuietTransformers
from radeval_core.engine.processes import launched_count
from radeval_core.errors import OutputError, RadevalError, is_out_of_memory
from radeval_core.train.run_folder import RunFolder, open_run
from radeval_core.train.stop_signals import StopRequest, stop_requests


class StoppedRun(RadevalError):
    """A signal stopped a run after a checkpoint was written."""


@contextmanager
def shared_run(path: Path, settings: Mapping[str, Any], needed_bytes: int = 0) -> Iterator[RunFolder]:
    """Open a run's folder in each process of a run: the first one locks it, the others follow; see `open_run`."""
    if launched_count() == 1:
        with open_run(path, settings, needed_bytes) as run:
            yield run
        return
    state = PartialState()
    if not state.is_main_process:
        state.wait_for_everyone()
        yield RunFolder(path, settings)
        return
    with open_run(path, settings, needed_bytes) as run:
        state.wait_for_everyone()
        yield run


def common_arguments(
    run: RunFolder, *, seed: int, device: str, save_steps: int, log_steps: int = 1, bf16: bool = False
) -> dict[str, Any]:
    """Return the arguments that every trainer gets, for `TrainingArguments` and its subclasses.

    Args:
        run: the run's folder.
        seed: of weights, data order and dropout.
        device: `cpu`, `cuda` or `mps`.
        save_steps: steps between two checkpoints.
        log_steps: steps between two lines of the log.
        bf16: compute with bfloat16.
    """
    return {
        "output_dir": str(run.checkpoints),
        "seed": seed,
        "data_seed": seed,
        "use_cpu": device == "cpu",
        "bf16": bf16,
        "save_strategy": "steps",
        "save_steps": save_steps,
        # a kill while the newest one is written must leave a whole one
        "save_total_limit": 2,
        "logging_strategy": "steps",
        "logging_steps": log_steps,
        "report_to": "none",
        "disable_tqdm": True,
        "push_to_hub": False,
    }


def train(trainer: Trainer, run: RunFolder, progress: bool = True) -> None:
    """Train to the end, from the last whole checkpoint if there is one.

    Raises:
        StoppedRun: SIGTERM or SIGINT came; the message says how to go on.
        RadevalError: the loss is not a number, or memory ran out.
        OutputError: the disk is full.
    """
    last = run.last_checkpoint()
    for unwanted in (PrinterCallback, ProgressCallback):
        trainer.remove_callback(unwanted)
    with stop_requests() as request:
        trainer.add_callback(_RunCallback(run, request, progress))
        try:
            with QuietTransformers():
                trainer.train(resume_from_checkpoint=str(last) if last else None)
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(f"cannot write a checkpoint to {run.checkpoints}: {error.strerror or error}") from error
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            raise RadevalError(
                f"out of memory at step {trainer.state.global_step + 1}: use a smaller --batch, shorter "
                "texts or smaller images, or a smaller base model. Checkpoints are kept"
            ) from error
    if request:
        raise StoppedRun(
            f"{request.signal} stopped the run after step {trainer.state.global_step} of {trainer.state.max_steps}; "
            "to go on, type the same command again"
        )


class _RunCallback(TrainerCallback):
    """Writes the log, marks whole checkpoints, shows progress, and stops when asked to."""

    def __init__(self, run: RunFolder, request: StopRequest, progress: bool) -> None:
        self.run, self.request, self.progress = run, request, progress
        self.bar: tqdm[Any] | None = None

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if not state.is_world_process_zero:
            return
        self.run.cut_log(state.global_step)
        self.bar = tqdm(
            total=state.max_steps,
            initial=state.global_step,
            desc="training",
            unit="step",
            disable=None if self.progress else True,
        )

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if self.bar is not None:
            self.bar.update(state.global_step - self.bar.n)
        if self.request:
            control.should_save = True
            control.should_training_stop = True

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.is_world_process_zero:
            self.run.mark_whole(state.global_step)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        values = {name: value for name, value in (logs or {}).items() if isinstance(value, int | float)}
        if any(name.endswith("loss") and not math.isfinite(value) for name, value in values.items()):
            raise RadevalError(
                f"the loss at step {state.global_step} is not a number: lower --learning-rate, or train in fp32"
            )
        if state.is_world_process_zero and values:
            self.run.log(state.global_step, values)
            if self.bar is not None and "loss" in values:
                self.bar.set_postfix(loss=f"{values['loss']:.3f}")

    def on_train_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
