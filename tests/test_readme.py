"""The README's examples run, and print what it says."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from radeval_core.registry import get_spec, metric_names

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [
    line for block in re.findall(r"```bash\n(.*?)```", README, flags=re.DOTALL) for line in block.strip().splitlines()
]


def run(command, **options):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, **options)


def test_there_are_examples():
    assert len(EXAMPLES) >= 2 and len(COMMANDS) >= 3


@pytest.mark.parametrize("code, expected", EXAMPLES)
def test_python_examples_print_what_the_readme_says(code, expected):
    done = run([sys.executable, "-c", code], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = run(shlex.split(command), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_demo_prints_what_the_readme_says():
    makefile = (ROOT / "Makefile").read_text()
    command = re.search(r"\$\(BIN\)/(radeval score .*)", makefile).group(1)
    done = run(command.split(), cwd=ROOT)
    assert done.stdout.strip() in README


def test_the_table_lists_every_metric_as_declared():
    for name in metric_names():
        spec = get_spec(name)
        (row,) = [line for line in README.splitlines() if line.startswith(f"| [`{name}`]")]
        assert spec.measures in row and f"| {spec.range_text} |" in row
        assert ("| higher |" if spec.higher_is_better else "| lower |") in row
        assert all(f"`{config.name}`" in row for config in spec.configs)
