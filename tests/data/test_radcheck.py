"""The generated dataset: spans, tags and error counts match the structures behind them."""

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from scipy.stats import kendalltau

from radeval_core.cli import main
from radeval_core.data.radcheck import generate
from radeval_core.data.radcheck.errors import perturb
from radeval_core.data.radcheck.structures import Report, load_grammar
from radeval_core.data.radcheck.write import write_absent, write_normal, write_present, write_report
from radeval_core.error_categories import CATEGORIES

LABELS = {"Abnormality", "Non-Abnormality", "Disease", "Non-Disease", "Anatomy"}
ANATOMIES = [
    "NECK",
    "TEETH",
    "BRAIN",
    "HEAD",
    "CHEST",
    "PELVIS",
    "ABDOMEN",
    "CARDIAC",
    "HEAD-NECK",
    "SOFT TISSUE",
    "UP-EXT",
    "OB",
    "EXT",
    "HIP",
    "BREAST",
    "SPINE",
    "MAMMO",
    "BRAIN-FACE-NECK",
    "LOW-EXT",
    "BONE",
    "VASCULAR",
    "BLADDER",
]
MODALITIES = ["CT", "CTA", "Fluoroscopy", "Mammography", "MRA", "MRI", "MRV", "Ultrasound", "X-Ray"]
ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "radcheck_sample.jsonl"
CARD = ROOT / "datasets_cards" / "radcheck" / "README.md"


@pytest.fixture(scope="module")
def tables():
    return {config: rows(0) for config, rows in generate.CONFIGS.items()}


@pytest.fixture(scope="module")
def ner(tables):
    return tables["ner"]


@pytest.fixture(scope="module")
def pairs(tables):
    return [row for rows in tables["eval"].values() for row in rows]


def some_reports(count: int, rng: Random) -> list[Report]:
    return [report for report, _ in zip(generate.reports(rng), range(count), strict=False)]


def perturbed(report: Report, count: int, rng: Random):
    findings = generate.visible(load_grammar().anatomies[report.anatomy], report.modality)
    return perturb(report, count, rng, findings, lambda f: generate.observe(f, rng))


def differences(reference: Report, candidate: Report) -> Counter:
    """Count the errors by comparing two structures, independently of how the candidate was made."""
    before = {o.finding: o for o in reference.present}
    after = {o.finding: o for o in candidate.present}
    found = Counter(false_finding=len(after.keys() - before.keys()), missing_finding=len(before.keys() - after.keys()))
    for finding in before.keys() & after.keys():
        old, new = before[finding], after[finding]
        found["wrong_location"] += (old.site, old.side) != (new.site, new.side)
        found["wrong_severity"] += (old.level, old.mm) != (new.level, new.mm)
        found["false_comparison"] += old.change is None and new.change is not None
        found["omitted_comparison"] += old.change is not None and new.change is None
    return +found


def test_the_grammar_has_the_papers_modalities_and_anatomies():
    grammar = load_grammar()
    assert sorted(grammar.anatomies) == sorted(ANATOMIES)
    assert sorted(grammar.modalities) == sorted(MODALITIES)


def test_every_modality_of_an_anatomy_shows_enough_findings():
    for anatomy in load_grammar().anatomies.values():
        for modality in anatomy.modalities:
            assert len(generate.visible(anatomy, modality)) >= 5, (anatomy.name, modality)
            assert any(modality in n.modalities for n in anatomy.normals), (anatomy.name, modality)


def test_spans_of_a_report_match_their_text():
    rng = Random(1)
    for report in some_reports(200, rng):
        written = write_report(report, rng)
        assert written.entities
        for e in written.entities:
            assert written.text[e.start : e.end] == e.text
            assert e.label in LABELS


def test_every_fact_of_a_report_is_an_entity():
    rng = Random(2)
    for report in some_reports(100, rng):
        spelled = Counter(e.label for e in write_report(report, rng).entities)
        assert spelled["Disease"] == sum(o.finding.disease for o in report.present)
        assert spelled["Abnormality"] == sum(not o.finding.disease for o in report.present)
        assert spelled["Non-Disease"] == sum(f.disease for f in report.absent)
        assert spelled["Non-Abnormality"] == sum(not f.disease for f in report.absent) + len(report.normal)
        assert spelled["Anatomy"] == sum(o.site is not None for o in report.present) + len(report.normal)


def test_text_is_clean_in_every_phrasing():
    rng = Random(3)
    texts = []
    for anatomy in load_grammar().anatomies.values():
        for finding in anatomy.findings:
            texts += [write_present(generate.observe(finding, rng), rng).text for _ in range(15)]
            texts += [write_absent([finding], rng).text for _ in range(3)]
        texts += [write_normal(normal, rng).text for normal in anatomy.normals]
    for text in texts:
        assert re.fullmatch(r"[A-Z0-9][^{}~+|]*[^ .]\.", text), text
        assert not re.search(r"  | [.,]|\ba [aeio]|\ban [^aeiouAEIOU81]|None|seen of", text), text


def test_tags_are_valid_and_match_the_entities(ner):
    for row in (row for rows in ner.values() for row in rows):
        assert len(row["tokens"]) == len(row["tags"])
        spelled: list[tuple[str, str]] = []
        for i, (token, tag) in enumerate(zip(row["tokens"], row["tags"], strict=True)):
            kind, _, label = tag.partition("-")
            if kind == "I":
                assert row["tags"][i - 1] in (f"B-{label}", f"I-{label}")
                spelled[-1] = (label, spelled[-1][1] + token)
            elif kind == "B":
                spelled.append((label, token))
            else:
                assert tag == "O"
        assert spelled == [(e["label"], e["text"].replace(" ", "")) for e in row["entities"]]


def test_ner_splits_share_no_report_and_no_test_sentence_is_in_train(ner):
    reports = [{row["report"] for row in ner[split]} for split in ("train", "dev", "test")]
    assert not (reports[0] & reports[1] or reports[0] & reports[2] or reports[1] & reports[2])
    trained = {row["text"] for row in ner["train"]}
    assert not trained & {row["text"] for split in ("dev", "test") for row in ner[split]}


def test_sizes_and_coverage(tables, ner, pairs):
    sentences = [row for rows in ner.values() for row in rows]
    assert len(sentences) >= 5000
    assert len(pairs) >= 2000
    assert len(tables["synthetic"]["test"]) == 1000
    for rows in (ner["train"], ner["dev"], ner["test"], pairs):
        assert {row["modality"] for row in rows} == set(MODALITIES)
        assert {row["anatomy"] for row in rows} == set(ANATOMIES)
    assert {e["label"] for row in ner["test"] for e in row["entities"]} == LABELS


def test_counts_match_the_error_list(pairs):
    for row in pairs:
        listed = Counter((e["category"], e["significant"]) for e in row["error_list"])
        for category in CATEGORIES:
            assert row[f"{category}_significant"] == listed[category, True]
            assert row[f"{category}_insignificant"] == listed[category, False]
        assert row["errors"] == sum(listed.values())
        assert row["significant_errors"] == sum(n for (_, grave), n in listed.items() if grave)


def test_every_category_and_every_count_occurs(pairs):
    assert {row["errors"] for row in pairs} == set(range(7))
    for category in CATEGORIES:
        assert sum(row[f"{category}_significant"] for row in pairs) > 100
        assert sum(row[f"{category}_insignificant"] for row in pairs) > 100


@pytest.mark.parametrize("count", range(7))
def test_listed_errors_are_the_differences_of_the_structures(count):
    rng = Random(count)
    for report in some_reports(150, rng):
        candidate, errors = perturbed(report, count, rng)
        assert len(errors) <= count
        assert differences(report, candidate) == Counter(e.category for e in errors)
        assert not {o.finding for o in candidate.present} & set(candidate.absent)


def test_a_pair_without_errors_states_the_same_facts_in_other_words(pairs):
    rng = Random(5)
    for report in some_reports(100, rng):
        candidate, errors = perturbed(report, 0, rng)
        assert not errors
        for said in ("present", "absent", "normal"):
            assert set(getattr(candidate, said)) == set(getattr(report, said))
    flawless = [row for row in pairs if row["errors"] == 0]
    assert all(row["prediction"] != row["reference"] for row in flawless)


def test_significance_depends_on_the_finding_and_the_size_of_the_change():
    rng = Random(6)
    effusion = next(f for f in load_grammar().anatomies["CHEST"].findings if f.id == "pleural effusion")
    seen = replace(generate.observe(effusion, rng), level=0, change=None)
    report = Report("X-Ray", "CHEST", (seen,), (), ())
    graves = set()
    for _ in range(200):
        candidate, (error,) = perturb(report, 1, rng, (), lambda f: generate.observe(f, rng))
        if error.category == "wrong_severity":
            graves.add((candidate.present[0].level, error.significant))
        elif error.category == "false_comparison":
            assert error.significant == (candidate.present[0].change != "stable")
        else:
            assert error.significant
    assert graves == {(1, False), (2, True)}


def test_phrasings_of_a_candidate_differ(pairs):
    assert all(len({row["prediction"], *row["rephrased"]}) == generate.PHRASINGS for row in pairs)


def test_triads_are_three_different_texts(tables):
    for row in tables["synthetic"]["test"]:
        assert len({row["original"], row["synonym"], row["opposite"]}) == 3
        denials = [
            bool(re.match(r"No |Negative|There (is|are) no ", row[k])) for k in ("original", "synonym", "opposite")
        ]
        assert denials[0] == denials[1] != denials[2]


def test_the_card_states_the_sizes(tables):
    lines = CARD.read_text(encoding="utf-8").splitlines()
    stated = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    for config, splits in tables.items():
        sizes = [str(len(splits[split])) if split in splits else "" for split in ("train", "dev", "test")]
        assert [config, *sizes] in stated


def test_length_alone_predicts_errors_poorly(pairs):
    gaps = [abs(len(row["prediction"].split()) - len(row["reference"].split())) for row in pairs]
    assert abs(kendalltau(gaps, [row["errors"] for row in pairs]).statistic) < 0.3


def test_another_seed_gives_other_reports():
    assert generate.synthetic_rows(0) != generate.synthetic_rows(1)


def test_the_sample_is_twenty_pairs_of_different_studies():
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len({row["study"] for row in rows}) == 20
    assert all(set(row["expert"]) == {"errors", "significant_errors"} for row in rows)


@pytest.mark.slow
def test_the_command_writes_the_committed_sample(tmp_path):
    options = ["--out", str(tmp_path / "built"), "--sample", str(tmp_path / "sample.jsonl"), "--json"]
    assert main(["data", "build", "radcheck", *options]) == 0
    assert (tmp_path / "sample.jsonl").read_bytes() == SAMPLE.read_bytes()


def test_the_published_rows_do_not_change(tables):
    """The hash is that of the rows first published with the default seed; a new hash means a new dataset."""
    rows = json.dumps(list(tables.values()), sort_keys=True)
    assert hashlib.sha256(rows.encode()).hexdigest()[:16] == "56f1947bfb4dcd56"


@pytest.mark.e2e
def test_the_findings_parser_is_not_imported():
    code = (
        "import sys, radeval_core.data.radcheck.generate as g; g.synthetic_rows(0); "
        "print([m for m in sys.modules if m.startswith('radeval_core') and not m.startswith('radeval_core.data')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['radeval_core', 'radeval_core.error_categories']"
