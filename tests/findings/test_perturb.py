"""Perturbed reports: hand-written cases of every kind, then properties of every change."""

import json
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from radeval_core.errors import InputError
from radeval_core.findings import parse
from radeval_core.findings.perturb import KINDS, MEANING_KEPT, perturb
from radeval_core.findings.perturb.negation import _taken_out

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "pairs.jsonl"
REFERENCES = [json.loads(line)["reference"] for line in EXAMPLES.read_text("utf-8").splitlines()]
REPORTS = [
    *REFERENCES,
    "There is a small left pleural effusion. No pneumothorax. The heart is mildly enlarged.",
    "FINDINGS: Patchy opacity in the right lower lobe. No pleural effusion or pneumothorax.\n"
    "IMPRESSION: Right lower lobe opacity, concerning for pneumonia.",
    "1. Moderate right pleural effusion.\n2. Left basilar atelectasis.\n3. No pneumothorax.",
    "LARGE LEFT PNEUMOTHORAX. NO PLEURAL EFFUSION. THE HEART IS NORMAL IN SIZE.",
    "Stable 4 mm nodule in the left upper lobe. Severe emphysema. An endotracheal tube is in good position.",
]
#: a report, a kind, and all texts the change may produce with any seed
CASES = [
    ("There is a left pleural effusion.", "negation", {"There is no left pleural effusion."}),
    ("Pneumothorax.", "negation", {"No pneumothorax."}),
    ("The aorta is tortuous.", "negation", {"The aorta is not tortuous."}),
    ("The heart is enlarged.", "negation", {"The heart is not enlarged."}),
    ("No pneumothorax.", "negation", {"Pneumothorax."}),
    ("There is no evidence of pneumothorax.", "negation", {"There is pneumothorax."}),
    ("Pneumothorax is not seen.", "negation", {"Pneumothorax is seen."}),
    (
        "No consolidation, effusion or pneumothorax.",
        "negation",
        {
            "No effusion or pneumothorax. There is consolidation.",
            "No consolidation or pneumothorax. There is effusion.",
            "No consolidation or effusion. There is pneumothorax.",
        },
    ),
    (
        "Cardiomegaly with pleural effusion.",
        "negation",
        {"Cardiomegaly without pleural effusion.", "No cardiomegaly with pleural effusion."},
    ),
    ("Small left pleural effusion.", "side", {"Small right pleural effusion."}),
    ("Left-sided pleural effusion.", "side", {"Right-sided pleural effusion."}),
    ("Consolidation in the RLL.", "side", {"Consolidation in the LLL."}),
    ("Bilateral pleural effusions.", "side", {"Left pleural effusions.", "Right pleural effusions."}),
    ("Pleural effusion is seen.", "side", {"Left pleural effusion is seen.", "Right pleural effusion is seen."}),
    ("There is an opacity.", "side", {"There is a left opacity.", "There is a right opacity."}),
    ("Small left pleural effusion.", "severity", {"Large left pleural effusion."}),
    ("MILD CARDIOMEGALY.", "severity", {"SEVERE CARDIOMEGALY."}),
    ("The heart is mildly enlarged.", "severity", {"The heart is severely enlarged."}),
    (
        "There is a left pleural effusion.",
        "severity",
        {"There is a small left pleural effusion.", "There is a large left pleural effusion."},
    ),
    ("Emphysema.", "severity", {"Mild emphysema.", "Severe emphysema."}),
    ("The heart is normal. Large mass.", "omission", {"The heart is normal.", "Large mass."}),
    (
        "The heart is normal. Large mass.",
        "order",
        {"Large mass. The heart is normal."},
    ),
]


@pytest.mark.parametrize(("text", "kind", "allowed"), CASES, ids=[f"{kind}-{text[:24]}" for text, kind, _ in CASES])
def test_change(text, kind, allowed):
    for seed in range(4):
        changed = perturb(text, kind, seed)
        assert changed is not None
        assert changed.text.strip() in allowed


def test_nothing_is_taken_out_of_a_list_that_is_one_finding():
    text = "No evidence of bladder wall perforation or ureteric calculus."
    whole = SimpleNamespace(start=text.index("bladder"), end=len(text) - 1, sentence_end=len(text))
    assert list(_taken_out(text, whole, whole.start)) == []


def test_negation_reaches_every_finding_of_a_list():
    text = "No consolidation, effusion or pneumothorax."
    assert {perturb(text, "negation", seed).finding for seed in range(20)} == {
        "consolidation",
        "pleural_effusion",
        "pneumothorax",
    }


def test_region_moves_within_the_larger_region_and_keeps_the_side():
    for seed in range(6):
        changed = perturb("Opacity in the left lower lobe.", "region", seed)
        assert re.fullmatch(r"Opacity in the left .+\.", changed.text)
        (finding,) = parse(changed.text).stated
        assert finding.laterality == "left"
        assert finding.anatomy != ("lower_lobe",)


def test_a_lobe_of_one_lung_only_is_not_moved_to_the_other():
    assert perturb("Opacity in the right middle lobe.", "side") is None
    assert all("middle" not in perturb("Opacity in the left lower lobe.", "region", s).text for s in range(20))


def test_finding_is_replaced_by_an_unrelated_one_of_the_same_kind():
    for seed in range(6):
        changed = perturb("There is a small left pleural effusion.", "finding", seed)
        assert re.fullmatch(r"There is a small left .+\.", changed.text)
        (before,) = parse("There is a small left pleural effusion.").stated
        (after,) = parse(changed.text).stated
        assert after.finding == changed.finding != before.finding
        assert (after.kind, after.polarity, after.laterality, after.severity) == (
            before.kind,
            before.polarity,
            before.laterality,
            before.severity,
        )


def test_insertion_adds_a_separate_sentence():
    text = "There is a small left pleural effusion. No pneumothorax."
    changed = perturb(text, "insertion", 3)
    assert changed.before == ""
    assert changed.after in changed.text
    assert changed.text.replace(changed.after, "", 1) == text


def test_paraphrase_uses_another_form_of_the_same_finding():
    changed = perturb("There is mild cardiomegaly.", "paraphrase")
    assert "cardiomegaly" not in changed.text.lower()
    assert [f.finding for f in parse(changed.text).stated] == ["cardiomegaly"]


def test_order_keeps_headings_and_sections_in_place():
    text = "FINDINGS: Large mass. No effusion. The heart is normal.\nIMPRESSION: Large mass. No effusion."
    for seed in range(5):
        changed = perturb(text, "order", seed).text
        findings, impression = changed.split("\nIMPRESSION: ")
        assert findings.startswith("FINDINGS: ")
        assert sorted(re.findall(r"[^.]+\.", findings[10:].replace(". ", "."))) == [
            "Large mass.",
            "No effusion.",
            "The heart is normal.",
        ]
        assert sorted(impression.split(". ")) in (["Large mass", "No effusion."], ["Large mass.", "No effusion"])


def test_order_leaves_list_numbers_where_they_are():
    changed = perturb("1. Large mass.\n2. No effusion.", "order")
    assert changed.text == "1. No effusion.\n2. Large mass."


def test_the_result_contains_the_changed_words():
    changed = perturb("There is a small left pleural effusion. No mass.", "side")
    assert (changed.kind, changed.finding, changed.before, changed.after) == (
        "side",
        "pleural_effusion",
        "left",
        "right",
    )


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", KINDS),
        ("   \n ", KINDS),
        ("PA and lateral views of the chest were obtained.", set(KINDS) - {"insertion", "order"}),
        ("INDICATION: Pneumonia.", KINDS),
        (
            "The lungs are clear.",
            {"negation", "finding", "side", "region", "severity", "omission", "paraphrase", "order"},
        ),
        ("No pneumothorax.", {"side", "region", "severity", "omission", "order"}),
        ("Kyphosis.", {"side", "region", "omission", "order"}),
    ],
)
def test_nothing_to_change(text, kinds):
    for kind in kinds:
        assert perturb(text, kind) is None, kind


def test_unknown_kind():
    with pytest.raises(InputError, match="did you mean 'negation'"):
        perturb("No mass.", "negatio")


# --- properties: all reports, all kinds, several seeds

DIFFERS = {
    "negation": {"polarity"},
    "finding": {"finding", "anatomy"},
    "side": {"laterality"},
    "region": {"anatomy"},
    "severity": {"severity"},
}
FIELDS = ("finding", "polarity", "anatomy", "laterality", "severity", "change", "measurements")


def keys(text, fields=FIELDS):
    return Counter(
        tuple(tuple(sorted(f.anatomy)) if name == "anatomy" else getattr(f, name) for name in fields)
        for f in parse(text).stated
    )


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_change_and_the_text_differs(kind):
    for i, text in enumerate(REPORTS):
        changed = perturb(text, kind, i)
        assert changed == perturb(text, kind, i)
        if changed is not None:
            assert changed.text != text
            assert changed.before in text
            assert changed.after in changed.text


@pytest.mark.parametrize("kind", sorted(DIFFERS))
def test_only_the_intended_field_changes(kind):
    kept = [name for name in FIELDS if name not in DIFFERS[kind]]
    found = 0
    for i, text in enumerate(REPORTS):
        changed = perturb(text, kind, i)
        if changed is None:
            continue
        found += 1
        assert keys(changed.text) != keys(text)
        assert keys(changed.text, kept) == keys(text, kept), changed
        added = keys(changed.text) - keys(text)
        assert any(key[0] == changed.finding for key in added), changed
    assert found >= len(REPORTS) / 2


def test_omission_only_removes_and_insertion_only_adds_findings():
    for i, text in enumerate(REPORTS):
        if (dropped := perturb(text, "omission", i)) is not None:
            assert keys(text) - keys(dropped.text)
            assert not keys(dropped.text) - keys(text)
        inserted = perturb(text, "insertion", i)
        assert not keys(text) - keys(inserted.text)
        ((name, polarity, *_),) = keys(inserted.text) - keys(text)
        assert (name, polarity) == (inserted.finding, "present")


@pytest.mark.parametrize("kind", sorted(MEANING_KEPT))
def test_meaning_is_kept(kind):
    fields = ("finding", "polarity", "laterality", "severity")
    found = [(text, changed) for i, text in enumerate(REPORTS) if (changed := perturb(text, kind, i)) is not None]
    assert len(found) >= len(REPORTS) * 0.8
    for text, changed in found:
        assert set(keys(text, fields)) == set(keys(changed.text, fields))


def test_no_double_spaces_and_no_lost_capitals():
    for i, text in enumerate(REPORTS):
        for kind in KINDS:
            if (changed := perturb(text, kind, i)) is not None:
                assert "  " not in changed.text, (kind, changed.after)
                starts = [changed.text[s.start] for s in parse(changed.text).sentences]
                small = [c for c in starts if c.islower()]
                assert len(small) <= sum(text[s.start].islower() for s in parse(text).sentences), (kind, changed)
