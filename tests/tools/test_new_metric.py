"""The generator of a new metric: what it writes works and passes the tests of every metric unchanged."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys

import pytest
import yaml

pytestmark = pytest.mark.e2e

NAME = "word_overlap_7"
FILES = {
    "src/radeval_core/metrics/NAME.py",
    "src/radeval_core/functional/NAME.py",
    "src/radeval_core/ui/views/NAME.py",
    "metrics/NAME/NAME.py",
    "metrics/NAME/README.md",
    "metrics/NAME/requirements.txt",
    "spaces/NAME/space.yaml",
    "tests/functional/test_NAME.py",
}


def run(copy, *args, **options):
    """Run Python with the package of the copy, not the installed one."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    return subprocess.run(
        [sys.executable, *map(str, args)], env=environment, capture_output=True, text=True, timeout=300, **options
    )


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def started(root, tmp_path_factory):
    """A copy of the repository with a new metric in it; its files before; what the generator printed."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in ("src", "metrics", "spaces", "tests", "tools", "docs", "examples", "datasets_cards"):
        shutil.copytree(root / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "screenshots"))
    for file in root.iterdir():
        if file.is_file():
            shutil.copy(file, copy)
    before = contents(copy)
    done = run(copy, copy / "tools" / "new_metric.py", NAME)
    assert done.returncode == 0, done.stderr
    return copy, before, done.stdout


@pytest.fixture(scope="module")
def copy(started):
    return started[0]


def test_it_writes_eight_files_and_changes_only_documents_that_list_the_metrics(started):
    copy, before, printed = started
    after = contents(copy)
    new, changed = set(after) - set(before), {path for path in before if after[path] != before[path]}
    assert new == {path.replace("NAME", NAME) for path in FILES}
    assert all(path == "README.md" or path.startswith("docs/") for path in changed)
    assert printed.splitlines()[:-1] == [
        *(f"written {path}" for path in re.findall(r"written (.+)", printed)),
        *(f"changed {path}" for path in sorted(changed)),
    ]


def test_contributing_names_the_same_files(root):
    section = (root / "CONTRIBUTING.md").read_text("utf-8").split("## Add a metric")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\S*NAME\S*)` \|", section, flags=re.MULTILINE)) == FILES
    assert "eight files" in section


def test_no_word_of_the_template_is_left(copy):
    for path in FILES:
        text = (copy / path.replace("NAME", NAME)).read_text("utf-8")
        assert text and not re.search("new_?metric|new metric", text, flags=re.IGNORECASE)


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
        "description": "Word overlap 7: the share of words a report has in common with its reference",
    }


def passed(copy, *args):
    """Run tests of the copy and return how many passed; all must."""
    done = run(copy, "-m", "pytest", *args, "-p", "no:cacheprovider", cwd=copy)
    assert done.returncode == 0, done.stdout[-5000:]
    assert "skipped" not in done.stdout
    return int(re.search(r"(\d+) passed", done.stdout)[1])


def test_it_passes_the_tests_of_every_metric_unchanged(copy):
    rooms = ["tests/metrics", "tests/functional", "tests/ui/test_views.py", "tests/test_cli.py"]
    assert passed(copy, *rooms, "-k", NAME) > 60


def test_the_documents_that_list_the_metrics_still_pass_their_tests(copy):
    tests = [path for path in ("tests/test_readme.py", "tests/docs") if (copy / path).exists()]
    assert passed(copy, *tests, "-k", "(metric or table) and not commands and not examples") >= 1


def test_it_can_be_published_and_is_in_the_list_of_metrics(copy, tmp_path):
    done = run(
        copy, "-m", "radeval_core.cli", "hub", "publish", NAME, "--org", "my-org", "--root", copy, "--dry-run", tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    listed = run(copy, "-m", "radeval_core.cli", "metrics", "--json")
    assert NAME in json.loads(listed.stdout)


def test_what_it_writes_is_tidy(copy):
    files = [path.replace("NAME", NAME) for path in sorted(FILES) if path.endswith(".py")]
    for command in (["check"], ["format", "--check"]):
        done = run(copy, "-m", "ruff", *command, "--no-cache", *files, cwd=copy)
        assert done.returncode == 0, done.stdout
    done = run(copy, "-m", "mypy", *(f for f in files if f.startswith("src")), cwd=copy)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["bleu", "radgraph_f1", "x_ray", "gap_a_b", "a_b2_c", "top_5_hits", "t5_f1", NAME])
def test_evaluate_reads_the_name_back_from_the_class(name, root):
    from evaluate.naming import camelcase_to_snakecase

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
        ("all", "'all' means every metric"),
        ("bleu", "'bleu' is taken"),
        ("radgraph", "functional/radgraph.py exists; choose another name"),
        ("cli", "tests/test_cli.py exists; choose another name"),
        (NAME, f"{NAME!r} is taken"),
    ],
)
def test_names_that_cannot_be_taken(name, message, copy):
    before = contents(copy)
    done = run(copy, copy / "tools" / "new_metric.py", name)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and message in done.stderr
    assert contents(copy) == before


def test_a_folder_that_is_no_checkout(copy, tmp_path):
    done = run(copy, copy / "tools" / "new_metric.py", "fine", "--root", tmp_path)
    assert done.returncode == 2
    assert "is not a checkout of radeval: run it from one, or pass --root DIR" in done.stderr


def test_help_teaches(root):
    done = run(root, root / "tools" / "new_metric.py", "--help")
    assert done.returncode == 0
    assert all(path in done.stdout for path in FILES)
    assert all(word in done.stdout for word in ("SPEC", "options", "pytest", "publish"))
