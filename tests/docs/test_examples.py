"""Every example in the README and the documentation runs and prints what the page shows.

`python` and `bash` blocks run; a `text` block right below one is its output. Blocks with another name or a title need
data, weights or a server: of these, every `radeval` command must at least be one that `radeval` understands.
"""

import shlex

import pytest
from pages import CARDS, DOCS, PROJECT, README, ROOT, blocks, commands, name_of

from radeval_core import cli
from radeval_core.cli.app import _parser

PYTHON = [
    pytest.param(code, printed, id=f"{name_of(path)}-{i}")
    for path in (README, *DOCS)
    for i, (code, printed) in enumerate(blocks(path, "python"))
]
SHELL = [pytest.param(path, id=name_of(path)) for path in (README, *DOCS) if blocks(path, "bash")]
SHOWN = [
    pytest.param(line.removeprefix("$ ").split("#")[0], id=f"{name_of(path)}: {line[:60]}")
    for path in (README, *DOCS, *CARDS, *PROJECT)
    for language in ("bash", "console")
    for code, _ in blocks(path, language)
    for line in commands(code)
    if "radeval " in line and not line.removeprefix("$ ").startswith(("pip ", "python ", "export "))
]


def test_there_are_examples():
    assert len(PYTHON) >= 8 and len(SHELL) >= 6 and len(SHOWN) >= 30


@pytest.mark.parametrize("code, printed", PYTHON)
def test_python_examples_print_what_the_page_shows(code, printed, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    exec(compile(code, "example", "exec"), {"__name__": "example"})
    assert printed is not None, "show the output in a text block below the example"
    assert capsys.readouterr().out == printed


@pytest.mark.e2e
@pytest.mark.parametrize("path", SHELL)
def test_commands_run_one_after_the_other(path, tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for code, printed in blocks(path, "bash"):
        for command in commands(code):
            name, *arguments = shlex.split(command)
            assert name == "radeval", "other programs go into a console block"
            assert cli.main(arguments) == 0, command
        out = capsys.readouterr().out
        assert out.strip()
        assert printed is None or out == printed


@pytest.mark.parametrize("command", SHOWN)
def test_radeval_understands_every_command_shown(command):
    words = [word for word in shlex.split(command) if word not in ("|", ">")]
    arguments = words[words.index("radeval") + 1 :]
    if not {"--help", "--fsdp-config"} & set(arguments):  # these print something and end
        assert callable(_parser().parse_args(arguments).run)
