"""`radeval train detector`: train a detector of anatomical regions for `ffl_rq`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from radeval_core.cli.arguments import TABLES, add_command
from radeval_core.cli.tables import print_table
from radeval_core.errors import needs_extra, says_what_to_install

_EPILOG = f"""--data is one of:
  a table ({TABLES}) with the columns image (a path, relative to the table) and boxes, optionally patient and split:
    {{"image": "films/1.png", "patient": "p1", "split": "train",
     "boxes": [{{"region": "left lung", "box": [x1, y1, x2, y2]}}, ...]}}
  COCO's JSON; its categories are named after regions, its file names are relative to --images
  the folder of Chest ImaGenome, with --images: its gold images become the test split

Boxes are in pixels of the film. Without splits, a share of the patients is held out. A run that was killed goes on when
the same command is typed again.

examples:
  radeval train detector --base facebook/detr-resnet-50 --data films.jsonl --out detector --dry-run
  radeval train detector --base PekingU/rtdetr_r18vd --recipe rt-detr --data chest-imagenome \\
    --images mimic-cxr-jpg --out detector
  radeval train detector --base small --recipe small --data films.jsonl --out detector
  radeval score pairs.jsonl --metrics ffl_rq --config ffl_rq=detector
"""


def add_detector_command(commands: Any, common: argparse.ArgumentParser) -> None:
    """Add `train detector`; `common` has the options that every command takes."""
    command = add_command(
        commands,
        "detector",
        "train a detector of anatomical regions for ffl_rq",
        _EPILOG,
        common,
        "Fine-tune a detector of transformers (DETR, Conditional DETR, RT-DETR, YOLOS, ...) on films with boxes of the "
        "36 regions of Chest ImaGenome. Needs radeval_core[train].",
    )
    command.set_defaults(run=_detector)
    option = command.add_argument
    option("--base", required=True, metavar="MODEL", help="detector to start from: Hub id, folder, or `small`")
    option("--data", required=True, type=Path, metavar="DATA", help="films with boxes, see below")
    option("--images", type=Path, metavar="FOLDER", help="folder of the films, for Chest ImaGenome and COCO")
    option("--out", required=True, type=Path, metavar="DIR", help="folder of the run and of the detector")
    option("--scratch", action="store_true", help="use the base's config only, and start with random weights")
    option("--recipe", default="detr", help="hyper-parameters: detr (default), conditional-detr, rt-detr or small")
    option("--epochs", type=float, metavar="N", help="times that each film is used (default: the recipe's)")
    option("--steps", type=int, metavar="N", help="number of steps, instead of --epochs")
    option("--batch", type=int, metavar="N", help="films per step and device (default: the recipe's)")
    option("--accumulate", type=int, metavar="N", help="batches per step (default: 1)")
    option("--learning-rate", type=float, metavar="RATE", help="highest learning rate (default: the recipe's)")
    option(
        "--size", type=int, metavar="PIXELS", help="resize films to this width and height (default: the base's size)"
    )
    option(
        "--flip",
        type=float,
        default=0.0,
        metavar="P",
        help="flip a film with this probability and swap left and right in the names of its regions; off by default: a "
        "flipped chest has its heart on the wrong side",
    )
    option("--validation-share", type=float, default=0.1, metavar="SHARE", help="patients held out (default: 0.1)")
    option("--eval-steps", type=int, metavar="N", help="steps between evaluations and checkpoints (default: one epoch)")
    option("--workers", type=int, default=0, metavar="N", help="processes that read films (default: 0)")
    option("--bf16", action="store_true", help="compute with bfloat16")
    option("--seed", type=int, default=0, metavar="N", help="seed of splits, weights and order (default: 0)")
    option("--device", help="cuda, mps or cpu; the best one by default")
    option("--dry-run", action="store_true", help="check the films, print the plan and stop")


def _detector(args: argparse.Namespace) -> int:
    from radeval_core.errors import is_installed

    if not is_installed("train"):
        raise needs_extra("train", "training")
    with says_what_to_install("training"):
        from radeval_core.train.detector.run import DetectorOptions, DetectorRun

    names = DetectorOptions.__dataclass_fields__
    run = DetectorRun(DetectorOptions(**{name: getattr(args, name) for name in names}))
    plan = run.plan()
    if args.dry_run:
        print(json.dumps(plan.as_dict()) if args.json else "\n".join(plan.lines()))
        return 0
    if not args.quiet and not args.json:
        print("\n".join(plan.lines()), flush=True)
    results = run.train(args.out, plan, progress=not args.quiet)
    if args.json:
        print(json.dumps(results))
        return 0
    columns = {"ap": "AP", "ap50": "AP50", "ap75": "AP75", "recall": "recall", "mean_iou": "mean IoU"}
    rows = [[name, *(f"{figures[key]:.3f}" for key in columns)] for name, figures in results["validation"].items()]
    if "test" in results:
        rows.append(["trained, test films", *(f"{results['test'][key]:.3f}" for key in columns)])
    print_table([f"{results['films']['validation']:,} held-out films", *columns.values()], rows)
    print(f"wrote {args.out}; its card and curves are README.md and curves.png. To use it, type:")
    print(f"  radeval score PAIRS --metrics ffl_rq --config ffl_rq={args.out}")
    return 0
