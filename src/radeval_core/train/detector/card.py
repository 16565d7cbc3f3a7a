"""Write the card of a trained region detector. Every number comes from its run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from radeval_core.findings.atlas import region_names
from radeval_core.train.model_card import ModelCard, write_card

_NAMES = {
    "ap": "AP",
    "ap50": "AP50",
    "ap75": "AP75",
    "precision": "precision",
    "recall": "recall",
    "mean_iou": "mean IoU",
}


def write_detector_card(folder: Path, settings: Mapping[str, Any], results: Mapping[str, Any]) -> Path:
    """Write the card of a detector into its folder.

    Args:
        folder: of the run.
        settings: of the run.
        results: figures of the run.
    """
    films, regions = results["films"], results["regions"]
    unseen = [region for region in region_names() if region not in regions]
    columns = ["boxes", *_NAMES.values()]
    tables: list[tuple[str, list[str], list[list[Any]]]] = [
        (
            "Held-out films",
            columns,
            [[name, *(figures[key] for key in _NAMES)] for name, figures in results["validation"].items()],
        )
    ]
    if "test" in results:
        tables.append(("Test films", columns, [["trained", *(results["test"][key] for key in _NAMES)]]))
    by_region = [[region, ap, regions.get(region, 0)] for region, ap in results["by_region"].items()]
    tables.append(("By region, held-out films", ["region", "AP", "training films"], by_region))
    card = ModelCard(
        title=folder.resolve().name,
        about=(
            f"Finds the {len(region_names())} anatomical regions of Chest ImaGenome on frontal chest films, for the "
            "metric `ffl_rq`. AP is COCO's average precision over IoU 0.5 to 0.95. Precision, recall and mean IoU are "
            "those of the boxes the metric uses: the best of each region with a score above 0.5; a box is right at an "
            "IoU of 0.5."
        ),
        base="" if "random weights" in str(settings["base"]) else str(settings["base"]).partition("@")[0],
        licence="other",
        task="object-detection",
        use=f"radeval score pairs.jsonl --metrics ffl_rq --config ffl_rq={folder.name}   # column image",
        data=[
            *(f"{count:,} films: {split}" for split, count in films.items()),
            f"fingerprint of names, boxes and splits: `{settings['data']}`",
            f"best of the checkpoints by AP on the validation films: step {results['best_step']:,}",
        ],
        recipe={name: value for name, value in settings.items() if name not in ("kind", "data")},
        figures=tables,
        limits=[
            "The figures hold for films like the held-out ones; the checkpoint was chosen on the validation films.",
            "Each region is reported once per film. A region that is missing or operated on may still get a box.",
            *([f"No training film has these regions, so they are never found: {', '.join(unseen)}."] if unseen else []),
            "Boxes of Chest ImaGenome's silver dataset come from a detector themselves, not from radiologists.",
        ],
        tags=("chest x-ray", "ffl_rq"),
    )
    return write_card(folder, card)
