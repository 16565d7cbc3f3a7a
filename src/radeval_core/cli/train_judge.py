"""`radeval train judge`: fine-tune a language model as the judge of a metric."""

from __future__ import annotations

import argparse
import json
from importlib import resources
from pathlib import Path
from typing import Any

from radeval_core.cli.arguments import add_command
from radeval_core.cli.tables import print_table
from radeval_core.errors import InputError, says_what_to_install

_EXAMPLES = """The training file comes from `radeval train annotate` (a teacher) or `radeval train inject` (known errors).
It names the metric; the model is asked as the metric will ask it, and learns the answer only. FOLDER gets the model,
its tokenizer, its card, the curves and the held-out answers (private: they contain report text).

Type the same command again after a kill: the run goes on from its last checkpoint and ends with the same weights.

recipes:
  green     the paper's: all weights, 12 epochs, 2,048 rows per step, learning rate 1e-4
  crimson   the authors' script: LoRA of rank 16, 3 epochs, 8 rows per step, learning rate 2e-5
  small     ours, for small models and a few hundred pairs: LoRA, 3 epochs, 8 rows per step, learning rate 1e-3

examples:
  radeval train judge --base ./SmolLM2-135M-Instruct --data train.jsonl --recipe small --out my-judge
  radeval train judge --base ./llama --data train.jsonl --recipe green --lora --epochs 3 --out my-judge --dry-run
  accelerate launch --config_file "$(radeval train judge --fsdp-config)" --num_processes 8 -m radeval_core.cli \\
      train judge --base ./llama --data train.jsonl --recipe green --out my-judge
  radeval score pairs.jsonl --metrics green --config green=./my-judge
"""
#: options that change a value of the recipe: type and help
_VALUES: dict[str, tuple[Any, str]] = {
    "learning_rate": (float, "largest learning rate"),
    "epochs": (int, "how often each row is seen"),
    "total_batch": (int, "rows per optimiser step, on all devices together"),
    "batch": (int, "rows per device and forward pass"),
    "warmup": (float, "share of the steps in which the learning rate grows"),
    "weight_decay": (float, "of AdamW"),
    "max_tokens": (int, "most tokens of a question and its answer"),
    "lora_r": (int, "rank of the adapter"),
    "lora_alpha": (int, "scale of the adapter"),
    "lora_dropout": (float, "share of the adapter's inputs left out"),
}


def add_judge_command(group: Any, common: argparse.ArgumentParser) -> None:
    """Add `train judge`."""
    command = add_command(group, "judge", "fine-tune a language model as the judge of a metric", _EXAMPLES, common)
    command.set_defaults(run=_judge)
    command.add_argument("--base", required=True, metavar="MODEL", help="Hub id or folder of the model to train")
    command.add_argument("--data", required=True, metavar="FILE.jsonl", help="training file")
    command.add_argument("--out", required=True, metavar="FOLDER", help="folder of the run and of the trained model")
    command.add_argument("--recipe", default="small", help="green, crimson or small (default): see below")
    recipe = command.add_argument_group("values of the recipe")
    way = recipe.add_mutually_exclusive_group()
    way.add_argument("--lora", action="store_const", const=False, dest="full", help="train a low-rank adapter")
    way.add_argument("--full", action="store_const", const=True, dest="full", help="train all weights")
    for name, (kind, about) in _VALUES.items():
        recipe.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=about)
    recipe.add_argument("--schedule", choices=("cosine", "linear", "constant_with_warmup"), help="of the learning rate")
    recipe.add_argument(
        "--checkpointing",
        action=argparse.BooleanOptionalAction,
        help="compute activations again instead of keeping them: less memory, a third more time",
    )
    command.add_argument(
        "--packing", action="store_true", help="put several rows into one sequence, kept apart by their positions"
    )
    command.add_argument(
        "--bf16", action=argparse.BooleanOptionalAction, help="compute with bfloat16; by default on GPUs that can"
    )
    command.add_argument("--drop-long", action="store_true", help="leave out rows that are too long, and count them")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: 0)")
    command.add_argument("--device", help="cuda, mps or cpu; the best one by default")
    command.add_argument("--save-steps", type=int, metavar="N", help="steps between checkpoints; by default 8 per run")
    command.add_argument("--eval-steps", type=int, metavar="N", help="steps between evaluations; by default 4 per run")
    command.add_argument(
        "--eval-rows", type=int, default=32, metavar="N", help="validation pairs asked about at each (default: 32)"
    )
    command.add_argument(
        "--test-rows", type=int, metavar="N", help="held-out pairs of the final figures; all by default"
    )
    command.add_argument("--with-base", action="store_true", help="also ask the untrained model about them")
    command.add_argument(
        "--experts", metavar="DATA", help="also measure agreement with experts, as `radeval bench` does"
    )
    command.add_argument("--licence", default="other", help="licence of the trained weights, for the card")
    command.add_argument("--dry-run", action="store_true", help="print the plan and train nothing")
    command.add_argument(
        "--fsdp-config",
        action="version",
        version=str(resources.files("radeval_core.train.judge").joinpath("fsdp.yaml")),
        help="print the path of the accelerate settings for several GPUs, and end",
    )


def _judge(args: argparse.Namespace) -> int:
    from radeval_core.train.judge.recipes import get_recipe

    names = (*_VALUES, "full", "schedule", "checkpointing")
    recipe = get_recipe(args.recipe, {name: getattr(args, name) for name in names})
    for name in ("save_steps", "eval_steps", "eval_rows", "test_rows"):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise InputError(f"--{name.replace('_', '-')} must be at least 1, got {value}")
    with says_what_to_install("radeval train judge"):
        from radeval_core.train.judge.run import JudgeOptions, JudgeTraining
        from radeval_core.train.plan import measure_speed
    options = JudgeOptions(
        base=args.base,
        data=Path(args.data),
        recipe_name=args.recipe,
        recipe=recipe,
        device=args.device,
        bf16=args.bf16,
        packing=args.packing,
        drop_long=args.drop_long,
        seed=args.seed,
        eval_steps=args.eval_steps,
        eval_rows=args.eval_rows,
        save_steps=args.save_steps,
        test_rows=args.test_rows,
        with_base=args.with_base,
        experts=args.experts,
        licence=args.licence,
    )
    training = JudgeTraining(options)
    plan, speed = training.plan, measure_speed(training.device.type)
    if args.dry_run and args.json:
        print(json.dumps(plan.as_dict(speed)))
        return 0
    if training.is_first and not args.json and not args.quiet:
        print("\n".join(plan.lines(speed)), flush=True)
    if args.dry_run:
        return 0
    results = training.run(Path(args.out), progress=not args.quiet)
    if results:  # empty in all processes but the first
        _print_results(args, training.metric, results)
    return 0


def _print_results(args: argparse.Namespace, metric: str, results: dict[str, Any]) -> None:
    from radeval_core.train.judge.card import figure_tables, use_command

    if args.json:
        print(json.dumps(results))
        return
    for title, columns, rows in figure_tables(metric, results):
        print(f"\n{title}")
        print_table(columns, [[_shown(cell) for cell in row] for row in rows])
    if not args.quiet:
        print(f"\nwrote the judge to {args.out}; to use it: {use_command(metric, args.out)}")


def _shown(cell: Any) -> str:
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
