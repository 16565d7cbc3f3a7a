"""Wheel and sdist have the same bytes whoever builds them; the SBOM lists what the package needs."""

import importlib.metadata
import json
import os
import shutil
import tarfile

import pytest

from check_release import build, differing, packages_needed, restrict

FILES = ("src", "metrics", "spaces", "examples", "datasets_cards")
SINGLE = ("pyproject.toml", ".gitignore", "README.md", "LICENSE", "CHANGELOG.md")


def copy(root, target):
    for folder in FILES:
        shutil.copytree(root / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in SINGLE:
        shutil.copy(root / file, target / file)
    return target


@pytest.mark.e2e
def test_two_builds_of_the_same_files_have_the_same_bytes(root, tmp_path):
    """The copies have other folders, times and modes, and one has been imported."""
    one, two = copy(root, tmp_path / "one"), copy(root, tmp_path / "with a longer name" / "two")
    for path in two.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        if path.is_file():
            path.chmod(0o600)
    (two / "src" / "radeval_core" / "__pycache__").mkdir()
    (two / "src" / "radeval_core" / "__pycache__" / "api.cpython-311.pyc").write_bytes(b"compiled")
    first = build(one, tmp_path / "d1", 1_700_000_000)
    second = build(two, tmp_path / "d2", 1_700_000_000)
    assert [name.rpartition(".")[2] for name in first] == ["whl", "gz"]
    assert differing(first, second) == []
    (sdist,) = [path for name, path in first.items() if name.endswith(".tar.gz")]
    with tarfile.open(sdist) as archive:
        assert {member.mtime for member in archive} == {1_700_000_000}
    (two / "src" / "radeval_core" / "api.py").write_text("changed = 1\n")
    assert differing(first, build(two, tmp_path / "d3", 1_700_000_000)) == sorted(first)


def test_a_file_that_only_one_build_has_differs(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text("same")
    assert differing({"x": tmp_path / "a"}, {"x": tmp_path / "b"}) == []
    assert differing({"x": tmp_path / "a"}, {"x": tmp_path / "b", "y": tmp_path / "b"}) == ["y"]


def test_what_the_extras_need_is_followed_through_every_package():
    base, everything = packages_needed("radeval_core", []), packages_needed("radeval_core", ["all"])
    assert {"evaluate", "pyarrow", "numpy"} <= base and "torch" not in base
    assert base | {"torch", "gradio", "safetensors", "mpmath"} <= everything
    assert not everything & {"radeval-core", "pytest", "mypy", "ruff"}


def part(name, version="1"):
    return {"bom-ref": f"{name}=={version}", "name": name, "version": version, "type": "library"}


SBOM = {
    "bomFormat": "CycloneDX",
    "metadata": {"component": {"bom-ref": "root-component", "name": "radeval_core", "type": "library"}},
    "components": [part("PyYAML"), part("pytest"), part("six")],
    "dependencies": [
        {"ref": "root-component", "dependsOn": ["PyYAML==1", "pytest==1"]},
        {"ref": "pytest==1", "dependsOn": ["six==1"]},
        {"ref": "PyYAML==1"},
        {"ref": "six==1"},
    ],
}


def test_the_sbom_names_the_version_and_leaves_out_test_tools():
    before = json.dumps(SBOM)
    made = restrict(SBOM, {"pyyaml", "six"}, "0.1.0")
    assert made["metadata"]["component"]["purl"] == "pkg:pypi/radeval-core@0.1.0"
    assert [c["name"] for c in made["components"]] == ["PyYAML", "six"]
    assert made["dependencies"] == [
        {"ref": "root-component", "dependsOn": ["PyYAML==1"]},
        {"ref": "PyYAML==1"},
        {"ref": "six==1"},
    ]
    assert json.dumps(SBOM) == before


def test_a_package_that_the_sbom_lacks_is_an_error():
    with pytest.raises(SystemExit, match="the SBOM lacks numpy"):
        restrict(SBOM, {"pyyaml", "numpy"}, "0.1.0")


def test_the_version_is_that_of_the_package():
    from radeval_core import __version__

    assert importlib.metadata.version("radeval_core") == __version__
