"""The tables of relations, levels and claims, and what they decide in a comparison."""

import pytest
import yaml

from radeval_core.findings.claims import neighbors, read_claims
from radeval_core.findings.compare import compare
from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.parser import parse
from radeval_core.findings.relations import RELATIONS_FILE, Relation, near_names, relation
from radeval_core.findings.significance import LEVELS, SIGNIFICANCE_FILE
from radeval_core.findings.tubes import out_of_place

LEXICON = load_lexicon(())
TABLE = yaml.safe_load(RELATIONS_FILE.read_text("utf-8"))
ROWS = [row for rows in TABLE.values() for row in rows]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(next(iter(row.values()))))
def test_every_relation_has_a_reason_and_names_findings_of_the_lexicon(row):
    assert row["why"].strip()
    assert set(row) - {"why"} in ({"names"}, {"either"}, {"sign", "of"}, {"vague", "of"})
    names = [name for key, value in row.items() if key != "why" for name in value]
    assert not [name for name in names if name not in LEXICON.entries]
    assert len(set(names)) == len(names) >= 2


def test_every_level_has_a_reason_and_names_findings_of_the_lexicon():
    content = yaml.safe_load(SIGNIFICANCE_FILE.read_text("utf-8"))
    rows = [*(row for rows in content["levels"].values() for row in rows), *content["degrees"], *content["words"]]
    assert all(row["why"].strip() for row in rows)
    assert not [name for row in rows for name in row["findings"] if name not in LEXICON.entries]
    assert {*content["levels"], *(row.get("level", "minor") for row in rows)} <= set(LEVELS)


def test_neighbors_are_regions():
    assert not [place for pair in neighbors() for place in pair if place not in LEXICON.regions]


@pytest.mark.parametrize(
    "one, other, expected",
    [
        ("pneumonia", "pneumonia", Relation("equal")),
        ("pneumonia", "consolidation", Relation("same")),
        ("consolidation", "opacity", Relation("kind-of", 1)),
        ("opacity", "consolidation", Relation("kind-of", -1)),
        ("cardiomegaly", "enlarged_cardiac_silhouette", Relation("kind-of")),
        ("pleural_effusion", "costophrenic_angle_blunting", Relation("sign-of", 1)),
        ("hilar_mass", "opacity", Relation("looks-like", 1)),
        ("consolidation", "atelectasis", Relation("looks-like")),
        ("birads_2", "birads_5", Relation("looks-like")),
        ("pneumothorax", "fracture", None),
    ],
)
def test_relation(one, other, expected):
    assert relation(one, other, LEXICON) == expected
    back = relation(other, one, LEXICON)
    assert back == (None if expected is None else Relation(expected.kind, -expected.vaguer))


def test_near_names_are_found_in_the_list_only():
    near = near_names(["opacity", "mass", "fracture"], LEXICON)
    assert near == {"opacity": {"opacity", "mass"}, "mass": {"opacity", "mass"}, "fracture": {"fracture"}}


def aspects(reference, candidate):
    found = compare(parse(reference), parse(candidate))
    return [(d.aspect, d.error) for d in (*found.differences, *found.shortfalls)]


@pytest.mark.parametrize(
    "reference, candidate, expected",
    [
        ("Right upper lobe pneumonia.", "Right upper lobe opacity.", [("unspecific", False)]),
        ("Right upper lobe opacity.", "Right upper lobe pneumonia.", [("overinterpretation", False)]),
        ("Left upper lobe opacity.", "Left upper lobe mass.", [("overinterpretation", True)]),
        ("Left upper lobe mass.", "Left upper lobe opacity.", [("unspecific", True)]),
        ("Right lower lobe atelectasis.", "Right lower lobe consolidation.", [("descriptor", True)]),
        ("Large right pneumothorax.", "Right pneumothorax.", [("unspecific", False)]),
        ("Right pneumothorax.", "Possible right pneumothorax.", [("certainty", True)]),
        ("Left lung opacity, possibly pneumonia.", "Left lung opacity.", []),
        ("Left renal mass.", "Mass of the left kidney.", []),
        ("Left pleural effusion. Right pleural effusion.", "Bilateral pleural effusions.", []),
        ("Bilateral pleural effusions.", "Left pleural effusion. Right pleural effusion.", []),
        ("Acute left clavicle fracture.", "Healed left clavicle fracture.", [("descriptor", True)]),
        ("Endotracheal tube 1 cm above the carina.", "Endotracheal tube 4 cm above the carina.", [("location", True)]),
        ("Spondylosis.", "Degenerative changes of the spine.", []),
        ("Pulmonary edema. Cardiomegaly.", "Pulmonary edema. Cardiomegaly. Kerley B lines.", []),
    ],
)
def test_what_a_description_costs(reference, candidate, expected):
    assert aspects(reference, candidate) == expected


def test_what_looks_alike_matches_only_in_one_place():
    assert not compare(parse("Left upper lobe nodule."), parse("Right lower lobe opacity.")).matched
    assert compare(parse("Left upper lobe nodule."), parse("Left upper lobe opacity.")).matched


GONE = "Basilar airspace disease of the previous study has essentially resolved. Cardiomegaly."


def test_a_finding_that_has_resolved_is_not_missing():
    (difference,) = compare(parse(GONE), parse("Cardiomegaly.")).differences
    assert difference.category == "omitted_comparison" and not difference.significant


@pytest.mark.parametrize(
    "text, levels",
    [
        ("Cardiomegaly.", ["actionable"]),
        ("Large left pneumothorax.", ["urgent"]),
        ("Small left pneumothorax.", ["actionable"]),
        ("Old left rib fracture.", ["minor"]),
        ("Left rib fracture.", ["actionable"]),
        ("Right PICC tip in the SVC.", ["minor"]),
        ("Endotracheal tube in the right main bronchus.", ["urgent"]),
    ],
)
def test_the_level_of_a_claim(text, levels):
    assert [claim.significance for claim in read_claims(parse(text))] == levels


@pytest.mark.parametrize(
    "text, names",
    [
        ("Right lower lobe opacity consistent with a mass.", [{"opacity", "mass"}]),
        (
            "Airway thickening suspicious for viral infection or reactive airway disease.",
            [{"bronchial_wall_thickening", "infection", "reactive_airway_disease"}],
        ),
        ("Right volume loss with elevation of the right hemidiaphragm.", [{"volume_loss"}, {"elevated_hemidiaphragm"}]),
        ("Right sixth rib fracture. Known T9 compression fracture.", [{"fracture"}, {"compression_fracture"}]),
        ("Left lower lobe consolidation versus atelectasis.", [{"consolidation"}, {"atelectasis"}]),
    ],
)
def test_a_possible_cause_belongs_to_its_sign(text, names):
    found = [set(claim.names) for claim in read_claims(parse(text))]
    assert sorted(found, key=sorted) == sorted(names, key=sorted)


@pytest.mark.parametrize(
    "names, anatomy, sizes, expected",
    [
        (("endotracheal_tube",), ("trachea",), (40.0,), False),
        (("endotracheal_tube",), ("trachea",), (10.0,), True),
        (("endotracheal_tube",), ("bronchus",), (), True),
        (("nasogastric_tube",), ("stomach",), (), False),
        (("nasogastric_tube",), ("lower_lobe",), (), True),
        (("picc",), ("svc",), (), False),
    ],
)
def test_misplaced_tubes(names, anatomy, sizes, expected):
    assert out_of_place(names, anatomy, sizes) is expected


def test_what_both_reports_only_suspect_loses_nothing():
    report = parse("Pleural effusion cannot be excluded.")
    assert compare(report, report).shortfalls == ()


@pytest.mark.parametrize(
    "one, other, found",
    [
        ("volar_tilt", "volar_tilts", Relation("equal")),
        ("volar_tilt", "tilt", Relation("kind-of", 1)),
        ("tilt", "volar_tilt", Relation("kind-of", -1)),
        ("volar_tilt", "~volar_tilts", Relation("equal")),
        ("volar_tilt", "dorsal_tilt", None),
        ("~consolidation", "~consolidations", None),
        ("~consolidation", "consolidation", None),
    ],
)
def test_names_beyond_the_lexicon_relate_by_their_words(one, other, found):
    assert relation(one, other, LEXICON) == found
    assert (other in near_names([one, other], LEXICON)[one]) == (found is not None)
