"""Train a reader of entities: plan, training, measuring, and the folder that `--config ratescore=DIR` loads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from transformers import Trainer, TrainingArguments

from radeval_core.bench.entities import READER, entity_rows
from radeval_core.engine.checkpoints import QuietTransformers
from radeval_core.engine.devices import choose_device
from radeval_core.engine.processes import launched_count
from radeval_core.train.curves import write_curves
from radeval_core.train.loop import common_arguments, shared_run, train
from radeval_core.train.model_card import write_card
from radeval_core.train.ner.card import card_of
from radeval_core.train.ner.entity_encoder import ChosenEncoder, check_encoder, copy_encoder
from radeval_core.train.ner.features import Features, collate, iob_features, span_features
from radeval_core.train.ner.measure import CURVES, HeldOut, keep_labels, keep_probabilities
from radeval_core.train.ner.model import new_reader, write_reader
from radeval_core.train.ner.read_data import SPLITS, NerData
from radeval_core.train.ner.recipes import Base, Recipe
from radeval_core.train.ner.sentences import MarkedSentence, entity_data, joined
from radeval_core.train.plan import Plan
from radeval_core.train.run_folder import RunFolder

#: ids that a note lists
_LISTED = 5


@dataclass(frozen=True)
class NerSettings:
    """What was asked for.

    Attributes:
        base: the encoder to start from.
        scheme: `iob` or `span`.
        recipe: the hyper-parameters.
        encoder: the entity encoder of the finished folder.
        sources: sources of the training data; empty for all.
        seed: of weights, order and dropout.
        device: where to train; the best one if None.
        steps: number of steps; those of the recipe's epochs if None.
        accumulate: batches per step.
        max_tokens: maximum tokens per sentence; those of the model if None.
        eval_steps: steps between two measurements; once per epoch if None.
        save_steps: steps between two checkpoints; as `eval_steps` if None.
        bf16: compute with bfloat16.
        checkpointing: compute activations again instead of keeping them.
    """

    base: Base
    scheme: str
    recipe: Recipe
    encoder: ChosenEncoder
    sources: tuple[str, ...] = ()
    seed: int = 0
    device: str | None = None
    steps: int | None = None
    accumulate: int = 1
    max_tokens: int | None = None
    eval_steps: int | None = None
    save_steps: int | None = None
    bf16: bool = False
    checkpointing: bool = False


class NerTraining:
    """One training run, prepared: data read, model loaded, everything checked that can be checked before.

    Args:
        data: the sentences.
        settings: what was asked for.
    """

    def __init__(self, data: NerData, settings: NerSettings) -> None:
        self.settings = settings
        self.data = data.only(settings.sources) if settings.sources else data
        self.device = choose_device(settings.device).type
        self.encoder_bytes = check_encoder(settings.encoder)
        self.reader = new_reader(settings.base, settings.scheme, settings.recipe, settings.seed, settings.max_tokens)
        sentences = {"train": self.data.splits["train"], "dev": [joined(s) for s in self.data.splits["dev"]]}
        self.features = {split: self._features(rows) for split, rows in sentences.items()}
        self.held_out = HeldOut(sentences["dev"], self.features["dev"], self.reader.tokenizer)

    def _features(self, sentences: Sequence[MarkedSentence]) -> Features:
        if self.settings.scheme == "span":
            return span_features(sentences, self.reader.tokenizer, self.settings.recipe.max_width)
        return iob_features(sentences, self.reader.tokenizer)

    @property
    def steps_per_epoch(self) -> int:
        per_step = self.settings.recipe.batch * self.settings.accumulate * launched_count()
        return math.ceil(len(self.features["train"].rows) / per_step)

    @property
    def steps(self) -> int:
        return self.settings.steps or max(1, math.ceil(self.steps_per_epoch * self.settings.recipe.epochs))

    def plan(self) -> Plan:
        """Return what the run will do and cost."""
        rows = self.features["train"].rows
        longest = max(len(row["input_ids"]) for row in rows)
        return Plan(
            rows={split: len(self.data.splits[split]) for split in SPLITS},
            steps=self.steps,
            tokens=round(self.features["train"].tokens * self.steps / self.steps_per_epoch),
            longest=longest * self.settings.recipe.batch,
            size=self.reader.size,
            device=self.device,
            checkpointing=self.settings.checkpointing,
            processes=launched_count(),
            notes=tuple(self.notes()),
        )

    def notes(self) -> list[str]:
        """Return what the user should know about the data before the training."""
        notes = [
            f"encoder: {self.settings.encoder.name}, compares the entities' names ({self.settings.encoder.pooling})"
        ]
        for split, features in self.features.items():
            if features.cut:
                named = ", ".join(features.cut[:_LISTED]) + (" …" if len(features.cut) > _LISTED else "")
                notes.append(
                    f"{split}: {len(features.cut)} sentences are longer than {self.reader.limit} tokens and are cut "
                    f"there, as ratescore does: {named}"
                )
            if features.lost:
                why = "cut off" if self.settings.scheme == "iob" else "cut off or wider than --max-width"
                notes.append(f"{split}: {features.lost} entities cannot be learned or found: {why}")
        if repeated := self.data.repeated():
            notes.append(
                f"test: {repeated} of {len(self.data.splits['test'])} sentences are also in train, word by word"
            )
        return notes

    def record(self) -> dict[str, Any]:
        """Return everything that decides what the run computes, as JSON values."""
        s = self.settings
        return {
            "kind": "ner",
            "base": s.base.name,
            "base_model": self.reader.name,
            "paper": s.base.paper,
            "scheme": s.scheme,
            "data": self.data.provenance,
            "data_sha256": self.data.digest(),
            "sources": list(s.sources),
            "encoder": {"name": s.encoder.name, "pooling": s.encoder.pooling},
            "recipe": asdict(s.recipe),
            "steps": self.steps,
            "accumulate": s.accumulate,
            "max_tokens": self.reader.limit,
            "seed": s.seed,
            "bf16": s.bf16,
        }

    def run(self, out: Path, progress: bool = True, prepared: Callable[[], None] = lambda: None) -> dict[str, Any]:
        """Train, or go on with a killed run, and write the folder.

        Args:
            out: the folder.
            progress: show a bar on a terminal.
            prepared: called when the folder is open and the training begins.

        Returns:
            The results: measures on the test split, of this reader and of the embedded parser.
        """
        needed = self.plan().disk_bytes + self.encoder_bytes
        with shared_run(out, self.record(), needed) as run:
            prepared()
            trainer = self._trainer(run)
            with QuietTransformers():
                train(trainer, run, progress)
                if trainer.is_world_process_zero():
                    write_reader(self.reader, out / "ner")
                    copy_encoder(self.settings.encoder, out)
            trainer.accelerator.wait_for_everyone()
            results = self.results(out, progress)  # several processes share the sentences
            if trainer.is_world_process_zero():
                write_curves(out, CURVES)
                write_card(out, card_of(out.name, self.record(), self.data, results, self.settings.base))
                run.finish(results)
        return results

    def results(self, out: Path, progress: bool) -> dict[str, Any]:
        """Measure the written folder and the embedded parser on the test split, as `radeval bench` does."""
        data = entity_data(self.data.splits["test"], {**self.data.provenance, "split": "test"})
        options = {"device": self.settings.device, "progress": progress}
        readers: Mapping[str, dict[str, str]] = {"trained": {READER: str(out)}, "embedded": {}}
        return {name: entity_rows(data, [READER], configs, options)[READER] for name, configs in readers.items()}

    def _trainer(self, run: RunFolder) -> Trainer:
        s, reader = self.settings, self.reader
        every = s.eval_steps or self.steps_per_epoch
        if s.checkpointing:
            getattr(reader.model, "encoder", reader.model).gradient_checkpointing_enable()
        arguments = TrainingArguments(
            **common_arguments(
                run, seed=s.seed, device=self.device, save_steps=s.save_steps or every, log_steps=10, bf16=s.bf16
            ),
            max_steps=self.steps,
            per_device_train_batch_size=s.recipe.batch,
            per_device_eval_batch_size=max(s.recipe.batch, 32),
            gradient_accumulation_steps=s.accumulate,
            learning_rate=s.recipe.learning_rate,
            warmup_steps=s.recipe.warmup,
            eval_strategy="steps",
            eval_steps=every,
            label_names=["labels"],
            remove_unused_columns=False,
        )
        return Trainer(
            model=reader.model,
            args=arguments,
            train_dataset=self.features["train"].rows,
            eval_dataset=self.features["dev"].rows,
            data_collator=partial(collate, pad_id=reader.files.pad_token_id or 0),
            compute_metrics=self.held_out,
            preprocess_logits_for_metrics=keep_probabilities if s.scheme == "span" else keep_labels,
        )
