"""docker/Dockerfile, without Docker: its instructions are read, and its commands run in a plain environment."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def instructions(root):
    """Return the instructions of the Dockerfile: names and arguments, with continued lines joined."""
    text = (root / "docker" / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]


def arguments(instructions, name):
    return [value for key, value in instructions if key == name]


def copied(instructions):
    """Return what is copied from the repository."""
    lists = [value.split()[:-1] for value in arguments(instructions, "COPY") if not value.startswith("--from")]
    return [source for sources in lists for source in sources]


def command(instructions):
    entry, rest = (json.loads(arguments(instructions, name)[-1]) for name in ("ENTRYPOINT", "CMD"))
    return entry + rest


def test_the_base_is_a_build_argument(instructions):
    assert instructions[0][0] == "ARG" and instructions[0][1].startswith("BASE=python:3.11")
    assert arguments(instructions, "FROM")[0] == "${BASE} AS base"
    assert all(stage.split()[0] in ("${BASE}", "base") for stage in arguments(instructions, "FROM"))


def test_it_runs_as_a_user_that_is_not_root(instructions):
    assert arguments(instructions, "USER")[-1] == "10001"
    names = [name for name, _ in instructions]
    assert names.index("USER") < names.index("ENTRYPOINT")
    after = instructions[names.index("USER") :]
    assert not [value for name, value in after if name in ("RUN", "COPY", "ADD")]


def test_no_secret_is_part_of_the_image(instructions):
    given = " ".join(arguments(instructions, "ARG") + arguments(instructions, "ENV") + arguments(instructions, "RUN"))
    assert not re.search(r"token|secret|password|api_key", given, re.IGNORECASE)
    assert not arguments(instructions, "ADD")


def test_everything_it_copies_is_there_and_nothing_else_is_sent(instructions, root):
    sources = copied(instructions)
    assert sources and all((root / source).exists() for source in sources)
    lines = (root / ".dockerignore").read_text("utf-8").splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == set(sources)


def test_its_extras_exist(instructions, root):
    extras = dict(value.partition("=")[::2] for value in arguments(instructions, "ARG"))["EXTRAS"].split(",")
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert "serve" in extras and set(extras) <= set(project["optional-dependencies"])


@pytest.mark.parametrize("number", range(5))
def test_its_commands_are_valid_shell(instructions, number):
    script = arguments(instructions, "RUN")[number]
    subprocess.run(["sh", "-n", "-c", script], check=True, timeout=20)


def test_the_python_of_a_base_with_python_is_used(instructions):
    """The first command installs nothing where Python and venv are there, as here."""
    script = arguments(instructions, "RUN")[0]
    done = subprocess.run(["sh", "-c", script.replace("apt-get", "false")], timeout=60)
    assert done.returncode == 0


@pytest.fixture(scope="module")
def installed(instructions, root, tmp_path_factory):
    """Return a folder with the package, built from the files that the Dockerfile copies and from nothing else."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    for name in copied(instructions):
        if (root / name).is_dir():
            shutil.copytree(root / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(root / name, source / name)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--target", target, source], check=True, timeout=300)
    return target


def start(installed, arguments, **environment):
    code = "import sys, radeval_core; from radeval_core.cli import main; print(radeval_core.__file__); sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=installed,
        env={**os.environ, "PYTHONPATH": str(installed), "OMP_NUM_THREADS": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.e2e
def test_its_command_needs_a_token(installed, instructions):
    process = start(installed, command(instructions)[1:], RADEVAL_SERVE_TOKEN="")
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and "RADEVAL_SERVE_TOKEN" in errors
    assert Path(out.strip()).is_relative_to(installed)


@pytest.mark.e2e
def test_its_command_serves_and_its_check_passes(installed, instructions):
    arguments_ = command(instructions)[1:]
    arguments_[arguments_.index("--port") + 1] = "0"
    arguments_[arguments_.index("--metrics") + 1] = "rouge"  # the others load models
    process = start(installed, [*arguments_, "--json"], RADEVAL_SERVE_TOKEN=TOKEN)
    try:
        assert Path(process.stdout.readline().strip()).is_relative_to(installed)
        port = json.loads(process.stdout.readline())["url"].rpartition(":")[2]
        check = json.loads(arguments(instructions, "HEALTHCHECK")[0].partition("CMD ")[2])
        assert check[:2] == ["python", "-c"]
        subprocess.run([sys.executable, "-c", check[2].replace("8080", port)], check=True, timeout=60)
    finally:
        process.send_signal(getattr(signal, arguments(instructions, "STOPSIGNAL")[0]))
        process.communicate(timeout=60)
    assert process.returncode == 0
