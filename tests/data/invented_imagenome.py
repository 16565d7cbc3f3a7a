"""An invented source in the layout of Chest ImaGenome 1.0.0."""

import csv
import io
import json
import zipfile
from pathlib import Path

BOX_COLUMNS = [
    "image_id", "x1", "y1", "x2", "y2", "width", "height", "bbox_name", "annot_id", "original_x1", "original_x2",
    "original_y1", "original_y2", "original_width", "original_height", "annotator", "coord224", "coord_original",
]  # fmt: skip
FINDING_COLUMNS = [
    "patient_id",
    "study_id",
    "image_id",
    "row_id",
    "bbox",
    "relation",
    "label_name",
    "categoryID",
    "sentence",
]


def box(name, x1, y1, x2, y2):
    """Return a box as an object of a scene graph."""
    small = {key: value / 10 for key, value in zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True)}
    original = {f"original_{key}": value * 10 for key, value in small.items()}
    sizes = {"width": (x2 - x1) / 10, "height": (y2 - y1) / 10, "original_width": x2 - x1, "original_height": y2 - y1}
    return {
        "object_id": f"i_{name}",
        "bbox_name": name,
        "name": name.title(),
        "synsets": [],
        **small,
        **original,
        **sizes,
    }


#: two films: the second box of the first one begins outside it, its third has no area, its fourth is no region
GOLD = {
    "aaa-1": [
        box("left lung", 1200, 100, 2200, 2300),
        box("right lung", -40, 120, 1100, 2300),
        box("trachea", 900, 0, 900, 500),
        box("left breast", 10, 10, 20, 20),
        box("left lung", 0, 0, 10, 10),
    ],
    "aaa-2": [box("cardiac silhouette", 900, 1200, 1900, 2200)],
}
#: image, region, relation, finding, category
FINDINGS = [
    ("aaa-1", "left lower lung zone", 1, "lung opacity", "anatomicalfinding"),
    ("aaa-1", "left lower lung zone", 1, "lung opacity", "anatomicalfinding"),
    ("aaa-1", "cardiac silhouette", 0, "enlarged cardiac silhouette", "anatomicalfinding"),
]


def scene_graph(image, **changes):
    """Return a scene graph with two boxes, and a finding with two sentences."""
    graph = {
        "image_id": image, "viewpoint": "AP", "patient_id": 10, "study_id": 50, "gender": "F", "age_decile": "50-60",
        "reason_for_exam": "___", "StudyOrder": 1, "StudyDateTime": "2100-01-01 00:00:00 UTC",
        "objects": [box("left lung", 1200, 100, 2200, 2300), box("mediastinum", 700, 0, 1500, 2000)],
        "attributes": [
            {
                "left lung": True, "bbox_name": "left lung", "synsets": [], "name": "Left lung",
                "attributes": [["nlp|yes|abnormal", "anatomicalfinding|yes|lung opacity"], ["disease|no|pneumonia"]],
                "attributes_ids": [["", ""], [""]], "phrases": ["Mild opacity.", "No pneumonia."],
                "phrase_IDs": ["50|1", "50|2"], "sections": ["finalreport"] * 2, "comparison_cues": [[], []],
                "temporal_cues": [[], []], "severity_cues": [["severity|yes|mild"], []], "texture_cues": [[], []],
                "object_id": f"{image}_left lung",
            }
        ],
        "relationships": [{"relationship_id": "1", "predicate": "['No status change']", "bbox_name": "left lung"}],
    }  # fmt: skip
    return graph | changes


def table(columns, rows, separator):
    """Return rows as CSV or TSV text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, delimiter=separator, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def chest_imagenome(folder: Path) -> Path:
    """Write gold boxes and findings, two scene graphs in an archive, and the publisher's splits."""
    for name in ("gold_dataset", "silver_dataset/splits"):
        (folder / name).mkdir(parents=True)
    boxes = [
        {key: value for key, value in one.items() if key in BOX_COLUMNS} | {"image_id": f"{image}.dcm"}
        for image, of_image in GOLD.items()
        for one in of_image
    ]
    (folder / "gold_dataset" / "gold_bbox_coordinate_annotations_1000images.csv").write_text(
        table(BOX_COLUMNS, boxes, ",")
    )
    findings = [
        {
            "patient_id": 10, "study_id": 50, "image_id": f"{image}.dcm", "row_id": f"50|{n}", "bbox": region,
            "relation": relation, "label_name": label, "categoryID": category, "sentence": 'An invented "sentence.',
        }
        for n, (image, region, relation, label, category) in enumerate(FINDINGS)
    ]  # fmt: skip
    text = table(FINDING_COLUMNS, findings, "\t")
    (folder / "gold_dataset" / "gold_attributes_relations_500pts_500studies1st.txt").write_text(text)
    with zipfile.ZipFile(folder / "silver_dataset" / "scene_graph.zip", "w") as archive:
        for image in ("bbb-2", "bbb-1"):
            archive.writestr(f"scene_graph/{image}_SceneGraph.json", json.dumps(scene_graph(image)))
        archive.writestr("scene_graph/readme.txt", "x")
    split = table(["", "subject_id", "study_id", "dicom_id", "path", "ViewPosition"], [{"dicom_id": "bbb-1"}], ",")
    (folder / "silver_dataset" / "splits" / "valid.csv").write_text(split)
    return folder
