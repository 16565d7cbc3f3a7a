"""The built-in lexicon is complete, every form in it works, and mistakes in a user's file give clear errors."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

import radeval_core.findings
from radeval_core.errors import InputError
from radeval_core.findings import FindingsParser, imagenome_regions, parse
from radeval_core.findings.lexicon_files import load_lexicon
from radeval_core.findings.text import normalise_form
from radeval_core.findings.types import KINDS, LATERALITIES, SIGNIFICANCES

FOLDER = Path(radeval_core.findings.__file__).parent / "lexicon"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FINDING_KINDS = set(KINDS) - {"normality"}


def entries():
    """Return the entries of the YAML files by name: (findings, regions)."""
    findings, regions = {}, {}
    for path in sorted(FOLDER.glob("*.yaml")):
        if path.name not in ("cues.yaml", "modifiers.yaml") and not path.name.startswith("synonyms_"):
            for name, fields in yaml.load(path.read_text("utf-8"), Loader=LOADER).items():
                (findings if "kind" in fields else regions)[name] = fields
    return findings, regions


FINDINGS, REGIONS = entries()
SIDES = ("left", "right")
PAIRED = (
    "lung", "apical zone", "upper lung zone", "mid lung zone", "lower lung zone", "hilar structures",
    "costophrenic angle", "hemidiaphragm", "clavicle", "cardiophrenic angle", "upper abdomen", "cardiac silhouette",
)  # fmt: skip
SINGLE = (
    "cardiac silhouette", "mediastinum", "upper mediastinum", "trachea", "spine", "right atrium", "cavoatrial junction",
    "svc", "carina", "aortic arch", "abdomen", "descending aorta",
)  # fmt: skip
IMAGENOME = {f"{side} {name}" for side in SIDES for name in PAIRED} | set(SINGLE)


# --- the built-in lexicon


def test_the_parser_reads_the_yaml_files():
    lexicon = load_lexicon()
    assert set(lexicon.entries) == set(FINDINGS)
    assert set(lexicon.regions) == set(REGIONS)


def test_there_are_enough_findings_and_regions():
    assert len(FINDINGS) >= 200
    assert len(REGIONS) >= 120


@pytest.mark.parametrize("kind", sorted(FINDING_KINDS))
def test_every_kind_of_finding_occurs(kind):
    assert kind in {fields["kind"] for fields in FINDINGS.values()}


def test_kind_and_significance_are_known():
    wrong = {
        name
        for name, fields in FINDINGS.items()
        if fields["kind"] not in FINDING_KINDS or fields.get("significance") not in SIGNIFICANCES
    }
    assert not wrong


def test_no_form_occurs_twice():
    forms = Counter(
        normalise_form(form) for fields in [*FINDINGS.values(), *REGIONS.values()] for form in fields["forms"]
    )
    assert not {" ".join(form): count for form, count in forms.items() if count > 1}


def test_forms_with_a_side_are_forms_of_their_entry():
    wrong = {
        (name, form): side
        for name, fields in [*FINDINGS.items(), *REGIONS.items()]
        for form, side in (fields.get("sides") or {}).items()
        if form not in fields["forms"] or side not in LATERALITIES
    }
    assert not wrong


def test_apart_and_parents_name_findings():
    for name, fields in FINDINGS.items():
        named = {*(fields.get("parents") or ()), *(part for pair in fields.get("apart") or () for part in pair)}
        assert named <= set(FINDINGS), name


def test_nothing_is_its_own_ancestor():
    lexicon = load_lexicon()
    assert not [name for name in FINDINGS if name in lexicon.more_general(name)]
    assert not [name for name in REGIONS if name in lexicon.ancestors(name)]


def test_each_form_of_a_finding_gives_that_finding():
    missed = [
        (name, form)
        for name, fields in FINDINGS.items()
        for form in fields["forms"]
        if not any((f.finding, f.polarity) == (name, "present") for f in parse(f"There is {form}.").stated)
    ]
    assert not missed


def test_each_form_of_a_region_gives_that_region():
    def reached(name, form):
        texts = (f"Mass in the left {form}.", f"Mass in the {form}.", f"{form} is normal.", f"{form} mass.")
        return any(name in f.anatomy or f.finding == f"normal_{name}" for text in texts for f in parse(text).findings)

    missed = [(name, form) for name, fields in REGIONS.items() for form in fields["forms"] if not reached(name, form)]
    assert not missed


def test_forms_with_a_side_give_that_side():
    wrong = [
        (name, form)
        for name, fields in REGIONS.items()
        for form, side in (fields.get("sides") or {}).items()
        if not any(f.laterality == side for f in parse(f"Mass in the {form}.").stated)
    ]
    assert not wrong


def test_the_lexicon_covers_the_36_regions_of_chest_imagenome():
    assert len(IMAGENOME) == 36
    texts = [
        f"Mass in the {side} {fields['forms'][0]}."
        for name, fields in REGIONS.items()
        for side in (("left", "right") if fields.get("sided") else ("",))
    ]
    stated = [f for text in texts for f in parse(text).stated]
    assert {region for f in stated for region in imagenome_regions(f, load_lexicon())} == IMAGENOME


# --- files given by a user

GOOD = """
zork_sign:
  kind: abnormality
  significance: urgent
  regions: [zork_notch]
  parents: [opacity]
  forms: [zork sign, positive zork]
  when:
    - regions: [zork_notch]
      words: [zorked]
zork_notch:
  forms: [zork notch]
  sided: true
  parent: lung
  excludes: [zork_sign]
"""


@pytest.fixture
def extra(tmp_path):
    def write(text):
        path = tmp_path / "extra.yaml"
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("text", "polarity", "side"),
    [
        ("There are zork signs on the left.", "present", "left"),
        ("No zork-sign.", "absent", None),
        ("The right zork notch is zorked.", "present", "right"),
        ("Zork notch is normal.", "absent", None),
    ],
)
def test_a_file_adds_a_finding_and_a_region(extra, text, polarity, side):
    parser = FindingsParser([extra(GOOD)])
    (found,) = [f for f in parser.parse(text).findings if f.finding == "zork_sign"]
    assert (found.polarity, found.laterality, found.anatomy) == (polarity, side, ("zork_notch",))
    assert (found.kind, found.significance) == ("abnormality", "urgent")


def test_the_added_finding_stays_in_its_parser(extra):
    FindingsParser([extra(GOOD)])
    assert not parse("Zork sign.").findings
    assert "zork_sign" not in load_lexicon().entries


ENTRY = "zork: {kind: abnormality, significance: minor, forms: [zork]"
#: name of a mistake: (content of the file, texts the error must contain)
MISTAKES = {
    "form of another": ("zork: {kind: disease, significance: minor, forms: [pleural effusions]}",
                        ["extra.yaml", "zork", "form 'pleural effusions'", "pleural_effusion"]),
    "form twice": ("zork: {kind: disease, significance: minor, forms: [zork fold, zork-folds]}",
                   ["extra.yaml", "zork", "form 'zork-folds'"]),
    "unknown field": (ENTRY + ", form: [zork]}", ["extra.yaml", "zork", "field", "'form'", "did you mean 'forms'"]),
    "unknown kind": ("zork: {kind: illness, significance: minor, forms: [zork]}",
                     ["extra.yaml", "zork", "kind must be one of abnormality, disease", "'illness'"]),
    "no significance": ("zork: {kind: disease, forms: [zork]}", ["extra.yaml", "zork", "significance must be one of"]),
    "no forms": ("zork: {kind: disease, significance: minor}", ["extra.yaml", "zork", "forms must be a list"]),
    "forms as a text": ("zork: {kind: disease, significance: minor, forms: zork}",
                        ["extra.yaml", "zork", "forms must be a list"]),
    "unknown side": (ENTRY + ", sides: {zork: port}}", ["extra.yaml", "zork", "sides must be one of left", "'port'"]),
    "capitals": ("Zork: {kind: disease, significance: minor, forms: [zork]}", ["extra.yaml", "Zork", "lower-case"]),
    "known name": ("mass: {kind: disease, significance: minor, forms: [zork]}", ["extra.yaml", "mass", "already"]),
    "no fields": ("zork:", ["extra.yaml", "zork", "forms"]),
    "not YAML": ("zork: {kind: [", ["extra.yaml", "line ", "not valid YAML"]),
    "a list": ("- zork", ["extra.yaml", "name: {...}", "list"]),
    "empty": ("", ["extra.yaml", "name: {...}"]),
    "missing region": (ENTRY + ", regions: [zorkland]}", ["zork", "region", "'zorkland'"]),
    "missing parent": (ENTRY + ", parents: [masss]}", ["zork", "parent", "'masss'", "did you mean 'mass'"]),
    "missing larger region": ("zork: {forms: [zork], parent: lungs}",
                              ["zork", "parent", "'lungs'", "did you mean 'lung'"]),
    "missing excluded": ("zork: {forms: [zork], excludes: [masss]}",
                         ["zork", "excluded", "'masss'", "did you mean 'mass'"]),
    "missing region in when": (ENTRY + ", when: [{regions: [zorkland], words: [zorked]}]}",
                               ["zork", "when", "'zorkland'"]),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_the_error_names_the_mistake(extra, name):
    text, wanted = MISTAKES[name]
    with pytest.raises(InputError) as error:
        FindingsParser([extra(text)])
    for part in wanted:
        assert part in str(error.value)


def test_the_error_names_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.yaml"):
        FindingsParser([tmp_path / "nowhere.yaml"])


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (ENTRY + ", sides: [left]}", "sides"),
        (ENTRY + ", sides: {zark: left}}", "sides"),
        (ENTRY + ", regions: lung}", "regions"),
        (ENTRY + ", regions: [zorkland]}", "region"),
        (ENTRY + ", when: [{regions: [lung]}]}", "when"),
        (ENTRY + ", when: [lung]}", "when"),
        (ENTRY + ", apart: [mass]}", "apart"),
        (ENTRY + ", apart: [[zork, masss]]}", "apart"),
        ("zork: {kind: normality, significance: minor, forms: [zork]}", "kind"),
        ("zork: {forms: [zork], imagenome: left zork}", "imagenome"),
        ("zork: {forms: [zork], sided: maybe}", "sided"),
    ],
)
def test_the_error_names_the_file_and_field(extra, text, field):
    with pytest.raises(InputError) as error:
        FindingsParser([extra(text)])
    assert all(part in str(error.value) for part in ("extra.yaml", "zork", field))
