"""The package as users get it: built as a wheel, installed outside the repository, with only a metric's folder."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import radeval_core
from radeval_core import __version__, load
from radeval_core.hub.publish import assemble
from radeval_core.registry import metric_names

pytestmark = pytest.mark.e2e

PREDICTIONS = ["Heart size is normal. No pneumothorax.", "Left basal opacity.", "\n"]
REFERENCES = ["The heart is normal in size. No pneumothorax.", "Right basal opacity, new.", "Clear lungs."]


def run(*args, **options):
    done = subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pip(*args):
    return run("-m", "pip", "--disable-pip-version-check", "--no-cache-dir", "--no-input", *args)


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    dist = tmp_path_factory.mktemp("dist")
    run("-m", "build", "--wheel", "--no-isolation", "--outdir", dist, root)
    (built,) = dist.iterdir()
    return built


@pytest.fixture(scope="module")
def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (path,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(path).decode())


# the files in the wheel


def test_the_wheel_contains_every_file_of_the_package(contents, root):
    package = root / "src" / "radeval_core"
    files = {
        f"radeval_core/{f.relative_to(package).as_posix()}"
        for f in package.rglob("*")
        if f.is_file() and "__pycache__" not in f.parts
    }
    assert any(not name.endswith(".py") for name in files), "the package has data files"
    assert files <= contents


def test_the_wheel_contains_the_dataset_cards(contents, root):
    cards = {
        f"radeval_core/data/{card.relative_to(root).as_posix()}" for card in root.glob("datasets_cards/*/README.md")
    }
    assert cards and cards <= contents


def test_the_wheel_contains_every_space(contents, root):
    files = {f"radeval_core/ui/{file.relative_to(root).as_posix()}" for file in root.glob("spaces/*/*.*")}
    assert {f"radeval_core/ui/spaces/{name}/space.yaml" for name in metric_names()} <= files <= contents


def test_the_wheel_contains_nothing_else(contents):
    tops = {name.split("/")[0] for name in contents}
    assert tops == {"radeval_core", f"radeval_core-{__version__}.dist-info"}


def test_the_wheel_has_the_command_the_version_and_the_licence(wheel, contents, metadata):
    info = f"radeval_core-{__version__}.dist-info"
    assert metadata["Version"] == __version__
    assert f"{info}/licenses/LICENSE" in contents
    with zipfile.ZipFile(wheel) as archive:
        assert "radeval = radeval_core.cli:main" in archive.read(f"{info}/entry_points.txt").decode()


# outside the repository

LOAD = """
import json, sys
import evaluate
import radeval_core
folders, predictions, references = json.loads(sys.stdin.read())
scores = {}
for name, folder in folders.items():
    scores[name] = evaluate.load(folder).compute(predictions=predictions, references=references)
from radeval_core.ui.space_page import spaces_folder
json.dump({"core": radeval_core.__file__, "spaces": str(spaces_folder()), "scores": scores}, sys.stdout)
"""


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return a folder with the wheel's copy of the core, to put first on the path."""
    target = tmp_path_factory.mktemp("installed")
    pip("install", "--quiet", "--no-index", "--no-deps", "--target", target, wheel)
    return target


@pytest.fixture(scope="module")
def elsewhere(installed, root, tmp_path_factory):
    """Return the results of a fresh process that sees only the wheel and copies of the metrics' folders."""
    copies = tmp_path_factory.mktemp("modules")
    for name in metric_names():
        shutil.copytree(root / "metrics" / name, copies / name, ignore=shutil.ignore_patterns("__pycache__"))
    home = tmp_path_factory.mktemp("home")
    answer = run(
        "-P", "-c", LOAD,
        input=json.dumps([{name: str(copies / name) for name in metric_names()}, PREDICTIONS, REFERENCES]),
        env={**os.environ, "PYTHONPATH": str(installed), "HF_HOME": str(home)}, cwd=home,
    )  # fmt: skip
    return json.loads(answer)


def test_the_core_that_ran_was_the_wheels(elsewhere, installed):
    assert elsewhere["core"] == str(installed / "radeval_core" / "__init__.py")


def test_the_pages_of_the_spaces_come_from_the_wheel(elsewhere, installed):
    assert elsewhere["spaces"] == str(installed / "radeval_core" / "ui" / "spaces")


@pytest.mark.parametrize("name", metric_names())
def test_a_metric_works_from_its_folder_and_the_wheel_alone(name, elsewhere):
    np.testing.assert_equal(elsewhere["scores"][name], load(name).compute(PREDICTIONS, REFERENCES))


# the snippets of the Spaces

RUN_SNIPPETS = """
import contextlib, io, json, sys
import radeval_core
printed = {}
for name, code in json.loads(sys.stdin.read()).items():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, name, "exec"), {})
    printed[name] = out.getvalue().split()
json.dump({"core": radeval_core.__file__, "printed": printed}, sys.stdout)
"""


@pytest.fixture(scope="module")
def opening_pairs():
    """Return what each Space shows when it opens: the scored pair, with its snippet."""
    from radeval_core.ui.opening import opening_pair

    return {name: opening_pair(name) for name in metric_names()}


def test_the_snippets_of_all_spaces_run_as_shown_from_the_wheel(opening_pairs, installed, root, tmp_path):
    """Both parts print the score; the part from the Hub loads the folders of the metrics, which the Hub serves."""
    modules = tmp_path / "metrics"
    shutil.copytree(root / "metrics", modules, ignore=shutil.ignore_patterns("__pycache__"))
    snippets = {name: pair.page_code.replace('"radeval/', f'"{modules}/') for name, pair in opening_pairs.items()}
    env = {**os.environ, "PYTHONPATH": str(installed), "HF_HOME": str(tmp_path)}
    ran = json.loads(run("-P", "-c", RUN_SNIPPETS, input=json.dumps(snippets), env=env, cwd=tmp_path))
    assert ran["core"] == str(installed / "radeval_core" / "__init__.py")
    assert ran["printed"] == {name: [repr(pair.headline)] * 2 for name, pair in opening_pairs.items()}


@pytest.mark.parametrize("name", metric_names())
def test_the_snippet_of_a_space_runs_as_shown_from_a_checkout(name, opening_pairs, root, capsys):
    assert Path(radeval_core.__file__).is_relative_to(root)
    code, _, _ = opening_pairs[name].page_code.partition("# from the Hub")
    exec(compile(code, name, "exec"), {})
    assert capsys.readouterr().out.split() == [repr(opening_pairs[name].headline)]


# requirements


def test_the_requirements_of_every_module_and_space_find_the_wheel(root, wheel, tmp_path):
    """In one call of pip: it fails, and names the file, if the wheel does not meet one of them."""
    folders = [root / "metrics" / name for name in metric_names()]
    folders += [assemble(name, root, tmp_path / name) for name in metric_names()]
    files = [option for folder in folders for option in ("-r", folder / "requirements.txt")]
    answer = pip(
        "install", "--dry-run", "--ignore-installed", "--no-deps", "--no-index", "--find-links", wheel.parent, *files
    )
    assert f"Would install radeval_core-{__version__}" in answer.replace("radeval-core", "radeval_core")


def test_a_space_with_a_wheel_installs_from_its_dry_run_folder_alone(root, wheel, tmp_path, monkeypatch):
    """The folder is served as the Hub serves the repository of a Space; there is no index and no other wheel."""
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread

    import huggingface_hub.constants

    served = tmp_path / "served" / "spaces" / "my-org" / "bleu" / "resolve" / "main"
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        for constant in ("ENDPOINT", "HUGGINGFACE_CO_URL_TEMPLATE"):
            value = address if constant == "ENDPOINT" else f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
            monkeypatch.setattr(huggingface_hub.constants, constant, value)
        space = assemble("bleu", root, served, "my-org", wheel)
        assert sorted(f.name for f in space.iterdir()) == [
            "README.md",
            "app.py",
            "bleu.py",
            wheel.name,
            "requirements.txt",
        ]
        (line,) = (space / "requirements.txt").read_text().splitlines()
        assert Requirement(line).extras == {"spaces"}
        assert Requirement(line).url == f"{address}/spaces/my-org/bleu/resolve/main/{wheel.name}"
        target = tmp_path / "target"
        pip("install", "--no-index", "--no-deps", "--target", target, "-r", space / "requirements.txt")
        server.shutdown()
    code = "import radeval_core, sys; sys.path.insert(0, '.'); import app; print(radeval_core.__file__, app.demo.title)"
    shutil.copy(space / "app.py", tmp_path / "app.py")
    answer = run("-P", "-c", code, env={**os.environ, "PYTHONPATH": str(target)}, cwd=tmp_path)
    assert answer.split(maxsplit=1) == [str(target / "radeval_core" / "__init__.py"), "radeval: bleu\n"]


def needed(metadata, extras):
    """Return the requirements of the core with some extras, including extras that name other extras."""
    for text in metadata.get_all("Requires-Dist"):
        requirement = Requirement(text)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": e}) for e in ("", *extras)):
            continue
        if canonicalize_name(requirement.name) == "radeval-core":
            yield from needed(metadata, requirement.extras)
        else:
            yield requirement


@pytest.mark.parametrize("name", metric_names())
def test_everything_the_space_of_a_metric_needs_is_met_here(name, root, metadata, tmp_path):
    lines = (assemble(name, root, tmp_path / name) / "requirements.txt").read_text().splitlines()
    (core,) = [Requirement(line) for line in lines if line.startswith("radeval_core")]
    assert core.extras <= set(metadata.get_all("Provides-Extra"))
    wanted = list(needed(metadata, core.extras))
    assert {"evaluate", "gradio"} <= {r.name for r in wanted}
    unmet = [str(r) for r in wanted if not r.specifier.contains(importlib.metadata.version(r.name), prereleases=True)]
    assert unmet == []
