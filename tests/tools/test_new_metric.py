"""The starter of a new metric: what it writes works and passes the tests of every metric unchanged."""

import json
import os
import runpy
import shutil
import subprocess
import sys

import pytest
import yaml
from evaluate.naming import camelcase_to_snakecase

NAME = "word_overlap_7"


def run(copy, *args, **options):
    """A Python process that sees the copy's package, not the installed one."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    return subprocess.run(
        [sys.executable, *map(str, args)], env=environment, capture_output=True, text=True, timeout=120, **options
    )


def new_metric(root, copy, *args):
    return run(copy, root / "tools" / "new_metric.py", *args, "--root", copy)


@pytest.fixture(scope="module")
def copy(root, tmp_path_factory):
    """A copy of the repository with a new metric in it."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("src", "metrics", "spaces", "tests", "examples"):
        shutil.copytree(root / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", copy)
    done = new_metric(root, copy, NAME)
    assert done.returncode == 0, done.stderr
    return copy


def test_it_writes_the_five_files(copy):
    for path in (
        f"src/radeval_core/scorers/{NAME}.py",
        f"metrics/{NAME}/{NAME}.py",
        f"metrics/{NAME}/README.md",
        f"metrics/{NAME}/requirements.txt",
        f"spaces/{NAME}/app.py",
    ):
        text = (copy / path).read_text("utf-8")
        assert text and "@NAME@" not in text and "@CLASS@" not in text and "@TITLE@" not in text


def test_the_front_matter_of_the_card(copy):
    assert yaml.safe_load((copy / "metrics" / NAME / "README.md").read_text("utf-8").split("---\n")[1]) == {
        "title": "Word overlap 7 for radiology reports",
        "emoji": "📏",
        "colorFrom": "blue",
        "colorTo": "gray",
        "sdk": "gradio",
        "sdk_version": "6.31.0",
        "app_file": "app.py",
        "pinned": False,
        "license": "apache-2.0",
        "tags": ["evaluate", "metric", "radiology"],
        "description": "Word overlap 7: the share of words a generated radiology report shares with its reference",
    }


LOAD = """
import json, sys
import evaluate
metric = evaluate.load(sys.argv[1])
result = metric.compute(
    predictions=["No effusion", "a b", ""], references=["no effusion .", ["b c", "a b"], "a"], detailed=True
)
json.dump(result, sys.stdout)
"""


def test_evaluate_loads_it_and_it_scores(copy, tmp_path):
    done = run(copy, "-c", LOAD, copy / "metrics" / NAME, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    # two of the three distinct tokens are common; the second reference is the same; nothing to match
    assert result["scores"] == pytest.approx([2 / 3, 1, 0])
    assert result[NAME] == pytest.approx(5 / 9)
    assert result["details"][0] == {"common": ["effusion", "no"], "added": [], "missing": ["."]}
    assert result["signature"].startswith(f"{NAME}|config:embedded|tok:words-lc|refs:1-2|metric:1|")


def test_it_passes_the_tests_of_every_metric_unchanged(copy):
    every = "tests/metrics/test_every_metric.py"
    done = run(copy, "-m", "pytest", every, "-k", NAME, "-p", "no:cacheprovider", cwd=copy)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout and "skipped" not in done.stdout


def test_it_can_be_published_and_is_in_the_list_of_metrics(copy, tmp_path):
    done = run(copy, "-m", "radeval_core.cli", "hub", "publish", NAME, "--root", copy, "--dry-run", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    listed = run(copy, "-m", "radeval_core.cli", "metrics", "--json")
    assert NAME in json.loads(listed.stdout)


def test_what_it_writes_is_tidy(copy):
    files = [copy / "src/radeval_core/scorers" / f"{NAME}.py", copy / "metrics" / NAME, copy / "spaces" / NAME]
    done = run(copy, "-m", "ruff", "check", "--no-cache", *files, cwd=copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["bleu", "radgraph_f1", "x_ray", "gap_a_b", "a_b2_c", "top_5_hits", "t5_f1", NAME])
def test_evaluate_reads_the_name_back_from_the_class(name, root):
    tool = runpy.run_path(str(root / "tools" / "new_metric.py"))
    assert camelcase_to_snakecase(tool["class_name"](name)) == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Bleu2", "'Bleu2' is not lower snake case: write it like radgraph_f1"),
        ("my-metric", "is not lower snake case"),
        ("2fast", "is not lower snake case"),
        ("_hidden", "is not lower snake case"),
        ("../escape", "is not lower snake case"),
        ("", "is not lower snake case"),
        ("class", "'class' is a word of Python"),
        ("match", "'match' is a word of Python"),
        ("all", "'all' stands for every metric"),
        ("bleu", "'bleu' is taken"),
        (NAME, f"{NAME!r} is taken"),
    ],
)
def test_names_that_cannot_be_taken(name, message, root, copy):
    before = sorted(copy.rglob("*"))
    done = new_metric(root, copy, name)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and message in done.stderr
    assert sorted(copy.rglob("*")) == before


def test_a_folder_that_is_no_checkout(root, tmp_path):
    done = new_metric(root, tmp_path, "fine")
    assert done.returncode == 2
    assert "is not a checkout of radeval: run it from one, or pass --root DIR" in done.stderr


def test_help_teaches(root, copy):
    done = new_metric(root, copy, "--help")
    assert done.returncode == 0
    for word in ("src/radeval_core/scorers/NAME.py", "metrics/NAME/README.md", "SPEC", "pytest", "publish"):
        assert word in done.stdout
