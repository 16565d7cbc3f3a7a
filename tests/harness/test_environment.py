"""The environment of this tier is the one that locks/harness.txt describes, and nothing else."""

import importlib
import importlib.metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from check_release import packages_needed
from install_locked import is_cpu_build
from write_locks import entries, pin

#: what needs to import in one process, whatever the others have loaded
LIBRARIES = (
    "trl", "ray.data", "lighteval", "inspect_ai", "lm_eval", "torchmetrics", "lightning", "dspy", "trackio", "wandb",
    "xllamacpp",
)  # fmt: skip


@pytest.fixture(scope="module")
def locked(root):
    wanted = [pin(entry) for entry in entries((root / "locks" / "harness.txt").read_text("utf-8"))]
    here = [r for r in wanted if r.marker is None or r.marker.evaluate()]
    return {canonicalize_name(r.name): next(iter(r.specifier)).version for r in here}


def test_every_package_has_the_locked_version(locked):
    installed = {name: importlib.metadata.version(name).removesuffix("+cpu") for name in locked}
    assert installed == locked


def test_the_lock_is_complete(locked):
    """pip installs it with --no-deps, so a package that is missing here would be missing in the environment."""
    missing = packages_needed("radeval_core", ["harness"]) - set(locked)
    assert is_cpu_build(importlib.metadata.version("torch")) and not missing


def test_the_versions_meet_what_the_packages_ask_of_each_other(locked):
    for name in packages_needed("radeval_core", ["harness"]):
        for wanted in map(Requirement, importlib.metadata.requires(name) or []):
            other = canonicalize_name(wanted.name)
            if other in locked and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
                assert wanted.specifier.contains(locked[other], prereleases=True), f"{name} needs {wanted}"


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_library_imports(library):
    assert importlib.import_module(library)
