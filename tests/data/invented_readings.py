"""Small invented sources of the datasets with credentialed text, in the publishers' layouts."""

import csv
import json
from pathlib import Path

TAGS = [
    "O",
    *(f"{p}-{t}" for t in ("ABNORMALITY", "NON-ABNORMALITY", "DISEASE", "NON-DISEASE", "ANATOMY") for p in "BI"),
]


def ner_row(*words):
    """Return a sentence from `word/TAG` items, with numeric tags."""
    pairs = [word.rpartition("/")[::2] for word in words]
    return {"tokens": [token for token, _ in pairs], "ner_tags": [TAGS.index(tag) for _, tag in pairs]}


NER = {
    "MIMIC_IV": {
        "train": [
            ner_row("No/O", "pleural/B-NON-ABNORMALITY", "effusion/I-NON-ABNORMALITY", "./O"),
            ner_row("Left/B-ANATOMY", "base/I-ANATOMY", "opacity/B-ABNORMALITY", "and/O", "opacity/B-ABNORMALITY"),
            ner_row("Opacity/B-ABNORMALITY", "nodule/B-ABNORMALITY"),
        ],
        "dev": [ner_row("Pneumonia/B-DISEASE", "./O")],
        "test": [ner_row("No/O", "pneumonia/B-NON-DISEASE")],
    },
    "Radiopaedia": {
        "train": [ner_row("Normal/O", "liver/B-ANATOMY")],
        "dev": [ner_row("Unremarkable/O", "./O")],
        "test": [ner_row("Hepatic/B-ANATOMY", "cyst/B-ABNORMALITY")],
    },
}


def rate_ner(folder: Path) -> Path:
    (folder / "idx2label.json").write_text(json.dumps(dict(enumerate(TAGS))), "utf-8")
    for source, splits in NER.items():
        (folder / source).mkdir()
        for split, rows in splits.items():
            (folder / source / f"{split}_IOB.json").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return folder


def sentence(number, errors, potential):
    return {
        "id": number,
        "reference": f"Nodule of {number} mm in the lung.",
        "prediction": "No nodule.",
        "errors": errors,
        "potential_errors": potential,
        "modality": "CT",
        "anatomy": "CHEST",
    }


def rate_eval(folder: Path) -> Path:
    sentences = [sentence(n, [n % 3, 1], [4, 2]) for n in range(10)]
    paragraphs = {
        "train": [{"gt": f"Cyst {n}. No stone.", "pred": "No cyst. No stone.", "rate": [n, 5]} for n in range(4)],
        "test": [{"gt": "Fracture. No gas.", "pred": "Fracture.", "rate": 3.5}],
    }
    triads = [{"original": "No gas.", "synonym": "Gas is absent.", "antonym": "There is gas."}]
    for name in ("Task1_sentence_rate", "Task2_paragraph_rate", "Task3_synthetic_rate"):
        (folder / name).mkdir()
    (folder / "Task1_sentence_rate" / "sentences.json").write_text(json.dumps(sentences), "utf-8")
    for split, rows in paragraphs.items():
        (folder / "Task2_paragraph_rate" / f"{split}.json").write_text(json.dumps(rows), "utf-8")
    (folder / "Task3_synthetic_rate" / "triads.json").write_text(json.dumps(triads), "utf-8")
    return folder


V0_HEADER = ["id", "indication", "impression_original", "impression_edited", "score", "annotator", "source"]
V0 = [
    ["p1s1", "Cough.", "Heart is large", "Heart is normal.", "Actionable nonurgent error", "0", "XREM"],
    ["p1s1", "Cough.", "Lungs are clear.", "[delete]", "Not actionable", "0", "XREM"],
    ["p1s1", "Cough.", "No gas.", "[no edit]", "No error", "0", "XREM"],
    ["p1s1", "Cough.", "", "Small left effusion", "Urgent error", "0", "XREM"],
    ["p2s2", "Fall, pain.", "No fracture.", "[no edit]", "No error", "0", "Expert"],
    ["p1s1", "Cough.", "Heart is large", "[no edit]", "No error", "1", "XREM"],
    ["p1s1", "Cough.", "Lungs are clear.", "[no edit]", "No error", "1", "XREM"],
    ["p1s1", "Cough.", "No gas.", "[delete]", "Emergent error", "1", "XREM"],
]
V1_HEADER = [
    "data_id", "subject_id", "study_id", "report_type", "report_text", "original_line", "corrected_line",
    "error_clinical_severity", "comments", "annotator_id",
]  # fmt: skip
_FINDINGS = ["3", "7", "70", "findings", "Tube is unchanged. Tip at 3 cm. Edema."]
V1 = [
    [*_FINDINGS, "Tube is unchanged.", "Tube is in place.", "Invalid comparison", "no prior", "A"],
    [*_FINDINGS, "Tip at 3 cm.", "", "", "", "A"],
    [*_FINDINGS, "Edema.", "[delete]", "Urgent error", "", "A"],
    ["", "", "", "", "", "", "", "", "", ""],
    ["3", "7", "70", "impression", "Edema.", "Edema.", "", "No error", "", "A"],
]
PARAPHRASE_HEADER = [
    "", "data_id", "subject_id", "study_id", "report_type", "report_text", "generated_paraphrase",
    "corrected_paraphrase", "annotator_id", "annotator_ground_truth", "pred",
]  # fmt: skip
PARAPHRASES = [
    ["0", "3-findings", "7", "70", "findings", "", "", "The tube has not moved. Its tip is 3 cm up.", "A", "", ""]
]


def write_csv(path: Path, header, rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def refisco_v0(folder: Path) -> Path:
    return write_csv(folder / "refisco-v0.csv", V0_HEADER, V0)


def refisco_v1(folder: Path) -> Path:
    write_csv(folder / "refisco-v1.csv", V1_HEADER, V1)
    write_csv(folder / "refisco-v1-paraphrased.csv", PARAPHRASE_HEADER, PARAPHRASES)
    return folder


ANALYSIS = """[Explanation]:
The candidate moves the effusion.

[Clinically Significant Errors]:
(a) False report of a finding in the candidate: 0.
(b) Missing a finding present in the reference: 2. Nodule; fracture
(c) Misidentification of a finding's anatomic location/position: 1. Effusion on the right
(d) Misassessment of the severity of a finding: 0.
(e) Mentioning a comparison that isn't in the reference: 0.
(f) Omitting a comparison detailing a change from a prior study: 0.

[Clinically Insignificant Errors]:
(a) False report of a finding in the candidate: 0.
(b) Missing a finding present in the reference: 0.
(c) Misidentification of a finding's anatomic location/position: 0.
(d) Misassessment of the severity of a finding: 1. Mild for small
(e) Mentioning a comparison that isn't in the reference: 0.
(f) Omitting a comparison detailing a change from a prior study: 0.

[Matched Findings]:
3. Effusion; normal heart; no gas
"""


def green_prompt(reference, candidate):
    return (
        "You will be presented with:\n 2. The reference radiology report.\n 3. The candidate radiology report.\n\n"
        f"    2. Reference Report:\n    {reference}\n\n    3. Candidate Report:\n    {candidate}\n\n"
        "    4. Reporting Your Assessment:\n\n    Follow this format"
    )


def green_row(number):
    asked = green_prompt(f"Effusion {number}.\nNodule.", f"Effusion on the right {number}.")
    return {"conv": [{"from": "human", "value": asked}, {"from": "gpt", "value": ANALYSIS}]}


def green_pairs(folder: Path) -> Path:
    (folder / "train.json").write_text(json.dumps([green_row(n) for n in range(4)]), "utf-8")
    (folder / "eval.json").write_text(json.dumps([green_row(5)]), "utf-8")
    (folder / "test.json").write_text(json.dumps([green_row(6), green_row(6)]), "utf-8")
    return folder
