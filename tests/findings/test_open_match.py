"""Which names of findings mean the same, beyond the lexicon, and what decides."""

import pytest
import yaml

from radeval_core.data.radcheck.structures import load_grammar
from radeval_core.findings import open_match, parse
from radeval_core.findings.compare import compare
from radeval_core.findings.open_claims import why_matched
from radeval_core.findings.open_match import SAME, VAGUER, compare_names, using
from radeval_core.findings.text import normalise_form


@pytest.mark.parametrize(
    "one, other, value, by",
    [
        ("volar_tilt", "volar_tilts", SAME, "spelling"),
        ("renal_rupture", "kidney_tear", SAME, "words"),
        ("orbital_inflammation", "inflammation_orbit", SAME, "spelling"),
        ("nephrolithiasis", "kidney_stone", SAME, "words"),
        ("acute_urethral_narrowing", "urethral_stenosis", SAME, "words"),
        ("tilt", "volar_tilt", VAGUER, "words"),
        ("volar_tilt", "dorsal_tilt", 0.0, ""),
        ("volar_tilt", "volar_rim", 0.0, ""),
    ],
)
def test_names(one, other, value, by):
    found = compare_names(one, other)
    assert (found.value, found.by) == (value, by) == (compare_names(other, one).value, compare_names(other, one).by)


def errors(reference, candidate):
    return [d.category for d in compare(parse(reference), parse(candidate)).differences]


def test_the_same_open_finding_is_no_error():
    assert errors("Dehiscence of the tegmen tympani.", "Tegmen tympani dehiscence is seen.") == []


def test_another_open_finding_is_two_errors():
    assert sorted(errors("Tegmen tympani dehiscence.", "Myocardial bridging.")) == ["false_finding", "missing_finding"]


def test_side_and_polarity_must_agree():
    assert errors("Left popliteal entrapment.", "Right popliteal entrapment.") == ["wrong_location"]
    assert errors("Popliteal entrapment.", "No popliteal entrapment.") == ["missing_finding"]


def test_an_open_finding_matches_the_words_of_a_listed_one():
    assert errors("Mitral regurgitation.", "Mitral valve incompetence.") == []


def test_equal_sizes_at_one_place_are_one_lesion():
    reference, candidate = "12 mm cortical tunneling in the left femur.", "12 mm enchondroma in the left femur."
    same = compare(parse(reference), parse(candidate))
    assert [d.category for d in same.differences] == []
    assert why_matched(*same.matched[0], parse(reference).lexicon) == "size"
    assert len(compare(parse(reference), parse(candidate.replace("12", "15"))).differences) == 2
    assert len(compare(parse(reference), parse(candidate.replace("left", "right"))).differences) == 2


def test_an_encoder_counts_only_inside_its_block():
    assert compare_names("omental_caking", "peritoneal_studding").value == 0.0
    with using(lambda one, other: 0.95):
        assert compare_names("omental_caking", "peritoneal_studding") == open_match.OpenLikeness(VAGUER, "encoder")
    assert compare_names("omental_caking", "peritoneal_studding").value == 0.0


def test_synonyms_and_radcheck_stay_apart():
    """No two names that radcheck gives one finding are in one group, and no entry is a phrase."""
    tables = yaml.safe_load(open_match.SYNONYMS.read_text("utf-8"))
    groups = [frozenset(group) for group in tables["same"]]
    assert all(word.isalpha() for group in groups for word in group)
    for anatomy in load_grammar().anatomies.values():
        for finding in anatomy.findings:
            names = {"_".join(normalise_form(name.lstrip("~+"))) for name in finding.names}
            assert all(len(group & names) < 2 for group in groups), names
