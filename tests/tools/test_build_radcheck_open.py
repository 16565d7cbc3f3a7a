"""The tool that writes the leaderboard's open benchmark and its baselines."""

import json
import shutil

import pytest

from build_radcheck_open import build
from radeval_core.errors import InputError
from radeval_core.leaderboard.benchmark import SHIPPED, load_benchmark
from radeval_core.leaderboard.submission import read_submission


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a benchmark folder built with another seed."""
    out = tmp_path_factory.mktemp("built") / "radcheck-open"
    out.mkdir()
    card = (SHIPPED / "radcheck-open" / "benchmark.yaml").read_text("utf-8")
    revision = build(out, seed=7)
    shipped = load_benchmark().revision
    assert revision != shipped
    (out / "benchmark.yaml").write_text(card.replace(shipped, revision), "utf-8")
    return out


def rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_it_builds_a_benchmark_with_valid_baselines(folder):
    benchmark = load_benchmark(str(folder))
    assert len(benchmark.studies) == 112
    assert len([read_submission(path, benchmark) for path in benchmark.baselines]) == 3


def test_the_question_does_not_reveal_which_findings_are_present(folder):
    for row in rows(folder / "studies.jsonl"):
        findings = row["question"].split(", ")
        assert findings == sorted(findings) and 5 <= len(findings) <= 9


def test_the_template_is_one_text_for_a_region_and_modality(folder):
    texts = {row["id"]: row["prediction"] for row in rows(folder / "baselines" / "template.jsonl")[1:]}
    seen = {}
    for row in rows(folder / "studies.jsonl"):
        assert seen.setdefault((row["anatomy"], row["modality"]), texts[row["id"]]) == texts[row["id"]]
    assert len(seen) == 56


def test_no_baseline_but_the_ceiling_sees_a_reference(folder):
    references = {row["reference"] for row in rows(folder / "studies.jsonl")}
    for name in ("template", "nearest-neighbour"):
        assert not references & {row["prediction"] for row in rows(folder / "baselines" / f"{name}.jsonl")[1:]}


def test_the_same_seed_gives_the_same_bytes(folder, tmp_path):
    build(tmp_path, seed=7)
    for path in ("studies.jsonl", "baselines/nearest-neighbour.jsonl", "baselines/noisy-reference.jsonl"):
        assert (tmp_path / path).read_bytes() == (folder / path).read_bytes()


def test_studies_that_were_changed_by_hand_are_noticed(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "changed")
    with (tmp_path / "changed" / "studies.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(InputError, match=r"studies\.jsonl has the hash"):
        load_benchmark(str(tmp_path / "changed"))
