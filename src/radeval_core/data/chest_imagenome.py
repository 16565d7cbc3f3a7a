"""Chest ImaGenome: boxes of anatomical regions on chest films of MIMIC-CXR, and the findings in each region.

The source is physionet.org/content/chest-imagenome/1.0.0, or a part of it. These files are read if they are there:

- `gold_dataset/gold_bbox_coordinate_annotations_1000images.csv`: `image_id`, `bbox_name`, `original_x1` …
  `original_y2`.
- `gold_dataset/gold_attributes_relations_500pts_500studies1st.txt`, tab-separated: `patient_id`, `study_id`,
  `image_id`, `bbox`, `categoryID`, `relation` (1 affirmed, 0 denied), `label_name`.
- `silver_dataset/scene_graph.zip`, or the folder `silver_dataset/scene_graph`: one `<image>_SceneGraph.json` per image,
  with `objects` (`bbox_name`, `original_x1` … `original_y2`) and `attributes` (`bbox_name`; `attributes` and
  `severity_cues`, one list per sentence).
- `silver_dataset/splits/train.csv`, `valid.csv`, `test.csv`: `dicom_id`.

The layout is known from public readers of the dataset, not from its files, which are credentialed.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa

from radeval_core.data.dataset import Dataset, DatasetPart, Row, Tables
from radeval_core.data.source_files import Placed, csv_rows, number, string
from radeval_core.errors import InputError
from radeval_core.findings.atlas import plain_name, region_names

SPLITS = ("gold", "silver")
GOLD_BOXES = "gold_dataset/gold_bbox_coordinate_annotations_1000images.csv"
GOLD_FINDINGS = "gold_dataset/gold_attributes_relations_500pts_500studies1st.txt"
SILVER = "silver_dataset/scene_graph"
SUFFIX = "_SceneGraph.json"
_CORNERS = ("original_x1", "original_y1", "original_x2", "original_y2")
_ORIGINS = {"train": "train", "valid": "validation", "test": "test"}
_SIDES = ("left ", "right ")
#: no coordinate of a film is larger
_LARGEST = 1e6

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "study", "patient", "view", "origin", "boxes")),
        ("findings", pa.list_(pa.string())),
        ("unusable_boxes", pa.int64()),
    ]
)


def read(source: Path | None) -> Tables:
    """Read the images of the gold and silver datasets, as far as the source has them."""
    if source is None:
        raise InputError(f"chest_imagenome needs --source PATH: {DATASET.source}")
    gold = _gold(source) if (source / GOLD_BOXES).is_file() else []
    silver = list(_silver(source))
    if not gold and not silver:
        raise InputError(f"{source}: expected {GOLD_BOXES}, {SILVER}, {SILVER}.zip, or files *{SUFFIX} in it")
    return {"images": {"gold": gold, "silver": silver}}


def remarks(tables: Tables) -> list[str]:
    """Return how many boxes could not be used, and which part of the dataset is missing."""
    lines = []
    for split, rows in tables["images"].items():
        unusable = sum(row["unusable_boxes"] for row in rows)
        if not rows:
            lines.append(f"{split}: not in the source")
        elif unusable:
            lines.append(f"{split}: {unusable} boxes are not used: no area, not one of the 36 regions, or given twice")
    return lines


def _gold(source: Path) -> list[Row]:
    """Return one row per image that has gold boxes, with its gold findings."""
    objects: dict[str, list[Placed]] = {}
    for where, row in csv_rows(source / GOLD_BOXES, ("image_id", "bbox_name", *_CORNERS)):
        objects.setdefault(_image_id(string(where, row, "image_id")), []).append((where, row))
    findings: dict[str, list[str]] = {}
    studies: dict[str, tuple[str, str]] = {}
    if (source / GOLD_FINDINGS).is_file():
        columns = ("patient_id", "study_id", "image_id", "bbox", "categoryID", "relation", "label_name")
        for where, row in csv_rows(source / GOLD_FINDINGS, columns, "\t"):
            image = _image_id(string(where, row, "image_id"))
            studies[image] = str(row["study_id"]), str(row["patient_id"])
            affirmed = number(where, row, "relation", 0, 1) == 1
            core = (
                f"{string(where, row, 'categoryID')}|{'yes' if affirmed else 'no'}|{string(where, row, 'label_name')}"
            )
            findings.setdefault(image, []).append(_pattern(core, string(where, row, "bbox"), ""))
    return [
        _row(image, *studies.get(image, ("", "")), "", "gold", of_image, findings.get(image, []))
        for image, of_image in objects.items()
    ]


def _silver(source: Path) -> Iterator[Row]:
    """Yield one row per scene graph."""
    origins = _origins(source / "silver_dataset" / "splits")
    for where, text in _scene_graphs(source):
        try:
            graph = json.loads(text)
        except ValueError as error:
            raise InputError(f"{where}: not valid JSON ({error})") from None
        if not isinstance(graph, dict) or not isinstance(graph.get("objects"), list):
            raise InputError(f"{where}: expected a scene graph with a list of 'objects'")
        image = _image_id(PurePosixPath(where).name.removesuffix(SUFFIX))
        objects = [(f"{where}: object {i}", _entry(f"{where}: object {i}", o)) for i, o in enumerate(graph["objects"])]
        yield _row(
            image,
            str(graph.get("study_id") or ""),
            str(graph.get("patient_id") or ""),
            str(graph.get("viewpoint") or ""),
            origins.get(image, ""),
            objects,
            [pattern for entry in graph.get("attributes") or [] for pattern in _patterns(where, entry)],
        )


def _scene_graphs(source: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each scene graph, in the order of their names. Nothing is unpacked."""
    archive = source if source.suffix == ".zip" else source / f"{SILVER}.zip"
    folder = source / SILVER if (source / SILVER).is_dir() else source
    if archive.is_file():
        try:
            with zipfile.ZipFile(archive) as file:
                for name in sorted(name for name in file.namelist() if name.endswith(SUFFIX)):
                    yield f"{archive}: {name}", file.read(name)
        except zipfile.BadZipFile as error:
            raise InputError(f"{archive}: damaged, or not a zip archive ({error})") from error
    elif folder.is_dir():
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            yield str(path), path.read_bytes()


def _origins(folder: Path) -> dict[str, str]:
    """Return the publisher's split of each image, if the files are there."""
    found: dict[str, str] = {}
    for name, origin in _ORIGINS.items():
        if (folder / f"{name}.csv").is_file():
            for where, row in csv_rows(folder / f"{name}.csv", ("dicom_id",)):
                found[_image_id(string(where, row, "dicom_id"))] = origin
    return found


def _row(
    image: str, study: str, patient: str, view: str, origin: str, objects: list[Placed], findings: list[str]
) -> Row:
    boxes: dict[str, list[float]] = {}
    unusable = 0
    for where, row in objects:
        name = plain_name(string(where, row, "bbox_name"))
        # the publisher's boxes may begin outside the film
        x1, y1, x2, y2 = (max(number(where, row, corner, -_LARGEST, _LARGEST), 0.0) for corner in _CORNERS)
        if name in region_names() and name not in boxes and x1 < x2 and y1 < y2:
            boxes[name] = [x1, y1, x2, y2]
        else:
            unusable += 1
    text = json.dumps({name: boxes[name] for name in sorted(boxes)})
    row = {"id": image, "study": study, "patient": patient, "view": view, "origin": origin, "boxes": text}
    return {**row, "findings": list(dict.fromkeys(findings)), "unusable_boxes": unusable}


def _patterns(where: str, entry: Any) -> Iterator[str]:
    """Yield the findings of a region in a scene graph: one list of attributes and one of severities per sentence."""
    region = string(where, _entry(where, entry), "bbox_name")
    severities = entry.get("severity_cues") or []
    for i, attributes in enumerate(entry.get("attributes") or []):
        cues = severities[i] if i < len(severities) else []
        severity = ",".join(sorted({str(cue).rpartition("|")[2] for cue in cues}))
        for attribute in attributes:
            if str(attribute).count("|") != 2:
                raise InputError(f"{where}: an attribute of {region!r} is not category|yes or no|name")
            yield _pattern(str(attribute), region, severity)


def _pattern(core: str, region: str, severity: str) -> str:
    """Return a finding as FFL: type | yes or no | core finding | anatomy | laterality | severity."""
    name = plain_name(region)
    side = next((side for side in _SIDES if name.startswith(side)), "")
    return f"{core}|{name.removeprefix(side)}|{side.strip()}|{severity}"


def _entry(where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: expected an object, got {type(value).__name__}")
    return dict(value)


def _image_id(name: str) -> str:
    return name.strip().removesuffix(".dcm")


DATASET = Dataset(
    name="chest_imagenome",
    about="boxes of 36 regions on chest films of MIMIC-CXR, with the findings in each region; for ffl_rq",
    source="the folder of physionet.org/content/chest-imagenome/1.0.0, scene_graph.zip, or a folder of scene graphs",
    terms="PhysioNet credentialed health data licence: may not be published",
    configs={"images": DatasetPart(SCHEMA, SPLITS)},
    read=read,
    remarks=remarks,
)
