"""Small invented sources in the publishers' exact layouts. `SOURCES[name](folder)` writes one and returns its path."""

import csv
import io
import json
import tarfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

from invented_imagenome import chest_imagenome
from invented_readings import green_pairs, rate_eval, rate_ner, refisco_v0, refisco_v1

CANDIDATES = ("radgraph", "bertscore", "s_emb", "bleu")


def rexval_count(study, candidate, category, significant, rater):
    """Return an invented count that depends on every part of its key."""
    return (study * 7 + CANDIDATES.index(candidate) * 5 + category * 3 + significant * 2 + rater) % 11 // 8


def rexval(folder: Path) -> Path:
    with (folder / "50_samples_gt_and_candidates.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["study_id", "gt_report", *CANDIDATES])
        for study in range(50):
            candidates = [f"Nodule of {study} mm, as {name} says." for name in CANDIDATES]
            writer.writerow([f"{50_000_000 + study}", f"Nodule of {study} mm,\nno effusion.", *candidates])
    with (folder / "6_valid_raters_per_rater_error_categories.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["study_number", "candidate_type", "error_category", "clinically_significant", "rater_index", "num_errors"]
        )
        for key in product(range(50), CANDIDATES, range(1, 7), (True, False), range(6)):
            writer.writerow([*key, rexval_count(*key)])
    return folder


def radpref_case(number: int) -> dict:
    false = {"error_type": "false", "clinical_significance": "actionable_not_urgent"}
    minor = {"error_type": "false", "clinical_significance": "benign_expected", "explanation": "Expected with age."}
    place = {"error_type": "attribute", "attributes": {"location": "significant", "severity": "negligible"}}
    vague = {"error_type": "attribute", "attributes": {"unspecific": "negligible"}}
    size = {"error_type": "attribute", "attributes": {"measurement": "negligible"}}
    missing = {"clinical_significance": "urgent"}
    poor = [
        {"finding_errors": {"0": false, "1": place}, "missing_findings": {"0": missing}, "rating": 1},
        {"finding_errors": {"0": minor}, "missing_findings": {}, "rating": 3, "rating_explanation": "Usable."},
        {"finding_errors": {"0": vague, "1": size}, "missing_findings": {}, "rating": 2},
    ]
    good = {"finding_errors": {}, "missing_findings": {}, "rating": 5}
    return {
        "id": f"case{number}",
        "ground_truth_report": f"Left pneumothorax of {number} cm.",
        "ground_truth_findings": ["Left pneumothorax"],
        "C1_report": "Right effusion. Large nodule on the right.",
        "C1_findings": ["Right effusion", "Large nodule"],
        "C1_source": "first",
        "C2_report": f"Pneumothorax of {number} cm on the left.",
        "C2_findings": ["Pneumothorax on the left"],
        "C2_source": "second",
        "PatientAge": "060Y",
        "PatientSex": "F",
        "Indication": "Dyspnea",
        "Comparison": "",
        "StudyDescription": "CHEST 1V",
        "radiologists": [
            {"C1": reading, "C2": good, "new_finding_indices": {"C1": [1], "C2": [], "GT": []}} for reading in poor
        ],
    }


def radpref(folder: Path) -> Path:
    (folder / "radpref.json").write_text(json.dumps([radpref_case(n) for n in range(3)]), encoding="utf-8")
    return folder / "radpref.json"


def openi_xml(number: int, majors=("normal",), automatic=(), findings="The lungs are clear.", images=2) -> str:
    terms = [f"<major>{term}</major>" for term in majors] + [f"<automatic>{term}</automatic>" for term in automatic]
    sections = {"COMPARISON": "None.", "INDICATION": "Cough", "FINDINGS": findings, "IMPRESSION": "Normal chest."}
    texts = "".join(f'<AbstractText Label="{label}">{text}</AbstractText>' for label, text in sections.items())
    pictures = "".join(f'<parentImage id="CXR{number}_IM-{i}"/>' for i in range(images))
    return (
        f'<?xml version="1.0" encoding="utf-8"?><eCitation><meta type="rr"/><uId id="CXR{number}"/><MedlineCitation>'
        f"<Article><Abstract>{texts}</Abstract></Article></MedlineCitation><MeSH>{''.join(terms)}</MeSH>{pictures}</eCitation>"
    )


OPENI = {
    1: openi_xml(1),
    2: openi_xml(2, ["Opacity/lung/base/left/mild", "Pleural Effusion/left"], ["opacity", "Pleural Effusion"], ""),
    3: openi_xml(3, ["No Indexing"], images=0),
    **{
        number: openi_xml(number, ["Cardiomegaly/mild", "Hernia, Hiatal"], findings=f"Film {number}. Enlarged heart.")
        for number in range(4, 40)
    },
}


def openi_archive(reports: dict[int, str] = OPENI) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        folder = tarfile.TarInfo("ecgen-radiology/")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for number, text in sorted(reports.items(), key=lambda item: str(item[0])):
            member = tarfile.TarInfo(f"ecgen-radiology/{number}.xml")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


def openi(folder: Path) -> Path:
    (folder / "NLMCXR_reports.tgz").write_bytes(openi_archive())
    return folder / "NLMCXR_reports.tgz"


def radcheck(folder: Path) -> None:
    """Do nothing: radcheck is generated and has no source."""


def reader_study(folder: Path) -> Path:
    """An export of `radeval read`: two readers; the second one did not read the last candidate."""
    errors = {"false_finding": {"significant": [1, 0], "insignificant": [0, 2]}}
    expert = {"errors": [1, 2], "significant_errors": [1, 0], "rating": [2, 4], "categories": errors}
    pair = {"study": "s", "prediction": "Large heart. Clear lungs.", "reference": "Normal heart."}
    judged = {"preferred": [1.0, 0.5], "confidence": [3, 1]}
    rated = [
        {"id": "a", "candidate": "x", **pair, "expert": {**expert, **judged}},
        {
            "id": "b",
            **pair,
            "study": "t",
            "reference": ["Normal heart.", "No enlargement."],
            "expert": {"rating": [5, None]},
        },
    ]
    line = {"line": 0, "action": "rewrite", "text": "Large heart.", "corrected": "Normal heart.", "start": 0, "end": 12}
    line |= {"severity": 2, "rating": "Actionable nonurgent error", "comment": ""}
    corrected = {"id": "a-anna", **pair, "source": "x", "section": "", "annotator": "anna", "paraphrase": None}
    corrected |= {"reference": "Normal heart. Clear lungs.", "lines": [line], "severity_sum": 2, "severity_max": 2}
    (folder / "rated.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rated))
    (folder / "corrections.jsonl").write_text(json.dumps({**corrected, "prefilled_by": "fineradscore|x"}) + "\n")
    (folder / "export.json").write_text(json.dumps({"readers": ["anna", "bo"]}))
    return folder


SOURCES: dict[str, Callable[[Path], Path | None]] = {
    "rexval": rexval,
    "radpref": radpref,
    "openi": openi,
    "radcheck": radcheck,
    "rate_ner": rate_ner,
    "rate_eval": rate_eval,
    "refisco_v0": refisco_v0,
    "refisco_v1": refisco_v1,
    "green_pairs": green_pairs,
    "chest_imagenome": chest_imagenome,
    "reader_study": reader_study,
}
