"""CT-RATE's 18 labels of hand-written chest CT reports, and the label sets by name."""

import pytest

from radeval_core.errors import InputError
from radeval_core.findings import parse
from radeval_core.findings.rows import report_row
from radeval_core.findings.views.ctrate import ctrate_labels, ctrate_names
from radeval_core.findings.views.label_sets import LABEL_SETS, label_set

NAMES = [
    "Medical material", "Arterial wall calcification", "Cardiomegaly", "Pericardial effusion",
    "Coronary artery wall calcification", "Hiatal hernia", "Lymphadenopathy", "Emphysema", "Atelectasis", "Lung nodule",
    "Lung opacity", "Pulmonary fibrotic sequela", "Pleural effusion", "Mosaic attenuation pattern",
    "Peribronchial thickening", "Consolidation", "Bronchiectasis", "Interlobular septal thickening",
]  # fmt: skip


def stated(text: str) -> set[str]:
    """Return the labels that a report states."""
    return {name for name, value in ctrate_labels(parse(text)).items() if value}


def test_the_names_are_in_the_published_order():
    assert list(ctrate_names()) == list(ctrate_labels(parse("Emphysema."))) == NAMES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A central venous catheter ends in the superior vena cava.", {"Medical material"}),
        ("Gallbladder absent after cholecystectomy.", set()),
        ("Calcified plaques in the aortic arch.", {"Arterial wall calcification"}),
        ("Calcification of the aortic valve.", set()),
        ("Increased cardiothoracic ratio.", {"Cardiomegaly"}),
        ("Minimal fluid in the pericardial space.", {"Pericardial effusion"}),
        ("Calcification in the LAD.", {"Coronary artery wall calcification"}),
        (
            "Atheroma plaques of the coronary arteries and the aorta.",
            {"Arterial wall calcification", "Coronary artery wall calcification"},
        ),
        ("Sliding hiatal hernia.", {"Hiatal hernia"}),
        ("Mediastinal lymph nodes up to 6 mm, not enlarged.", {"Lymphadenopathy"}),
        ("Calcified hilar lymph nodes.", {"Lymphadenopathy"}),
        ("No lymph node reached pathological size.", set()),
        ("Paraseptal emphysema.", {"Emphysema"}),
        ("Linear atelectasis in the lingula.", {"Atelectasis"}),
        ("A 5 mm nodule in the right upper lobe.", {"Lung nodule"}),
        ("A 12 mm nodule in the left thyroid lobe.", set()),
        ("Nodular consolidation in the left lower lobe.", {"Consolidation"}),
        ("Patchy ground-glass areas.", {"Lung opacity"}),
        ("Pleuroparenchymal sequelae in both apices.", {"Pulmonary fibrotic sequela"}),
        ("Sequela changes in the right kidney.", set()),
        ("Bilateral pleural effusion.", {"Pleural effusion"}),
        ("Effusion around the left kidney.", set()),
        ("Mosaic attenuation pattern (small airway disease?).", {"Mosaic attenuation pattern"}),
        ("Peribronchial thickening.", {"Peribronchial thickening"}),
        ("Thickened interlobular septa.", {"Interlobular septal thickening"}),
        ("Traction bronchiectasis.", {"Bronchiectasis"}),
        ("Possible consolidation in the left base.", {"Consolidation"}),
        ("Consolidation, effusion and bronchiectasis were not observed.", set()),
        ("", set()),
    ],
)
def test_one_statement(text, expected):
    assert stated(text) == expected


def test_a_set_is_chosen_by_name():
    report = parse("Emphysema.")
    assert report_row(1, report, "ctrate")["labels"]["Emphysema"] == 1
    assert len(report_row(1, report)["labels"]) == 14
    assert set(LABEL_SETS) == {"chexpert", "ctrate"}


def test_an_unknown_set_names_the_known_ones():
    with pytest.raises(InputError, match=r"^unknown label set 'ctrates': did you mean 'ctrate'\? .*chexpert, ctrate$"):
        label_set("ctrates")
