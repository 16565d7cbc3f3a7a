"""The lock files agree with constraints.txt, pyproject.toml and what is installed, and every entry has hashes."""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from check_release import packages_needed
from install_locked import is_cpu_build
from write_locks import cpu_builds, cpu_lock, cuda_only, entries, hashes, pin, replaced, without_cuda

LOCKS = ("build", "test", "harness", "torch-cpu", "cuda", "weights", "tools")
# what the tests ran with: the environment of CI
CI = {
    "python_full_version": "3.11.7",
    "python_version": "3.11",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
}
#: constraints.txt also serves GPU builds of torch, each of which needs its own triton
NOT_CONSTRAINED = {"triton"}


@pytest.fixture(scope="module")
def locks(root):
    return {name: entries((root / "locks" / f"{name}.txt").read_text("utf-8")) for name in LOCKS}


@pytest.fixture(scope="module")
def constraints(root):
    return constrained((root / "constraints.txt").read_text("utf-8"))


@pytest.fixture(scope="module")
def harness_constraints(root):
    """Return the versions that constraints-harness.txt names."""
    return constrained((root / "constraints-harness.txt").read_text("utf-8"))


def constrained(text):
    """Return the versions of a constraints file by package."""
    lines = filter(None, (line.split("#")[0].strip() for line in text.splitlines()))
    return dict(name_and_version(Requirement(line)) for line in lines)


def name_and_version(requirement):
    (only,) = requirement.specifier
    assert only.operator == "=="
    return canonicalize_name(requirement.name), only.version


def pins(lock):
    """Return the versions of a lock in the environment of CI."""
    wanted = [pin(entry) for entry in lock]
    return dict(name_and_version(r) for r in wanted if r.marker is None or r.marker.evaluate(CI))


@pytest.mark.parametrize("name", LOCKS)
def test_every_entry_has_one_version_and_hashes(name, locks):
    assert locks[name]
    for entry in locks[name]:
        name_and_version(pin(entry))
        assert hashes(entry), f"{pin(entry)} has no hash"


def test_the_lock_of_the_tests_and_the_constraints_name_the_same_versions(locks, constraints):
    locked = {**pins(locks["test"]), **pins(locks["weights"])}
    assert {name: v for name, v in locked.items() if name not in NOT_CONSTRAINED} == constraints


@pytest.mark.parametrize("name", ["build", "weights", "torch-cpu"])
def test_the_other_locks_of_the_tests_follow_the_constraints(name, locks, constraints):
    assert {n: v.removesuffix("+cpu") for n, v in pins(locks[name]).items()}.items() <= constraints.items()


def test_what_builds_packages_is_what_the_tests_run_with(locks):
    assert pins(locks["build"]).items() <= pins(locks["test"]).items()


def required(project, extra):
    """Return the requirements of the package with an extra, including those of extras that it names."""
    extras = project["optional-dependencies"]
    found, todo, done = [Requirement(text) for text in project["dependencies"]], [extra], set()
    while todo:
        name = todo.pop()
        if name not in done:
            done.add(name)
            wanted = [Requirement(text) for text in extras[name]]
            todo += [other for r in wanted if canonicalize_name(r.name) == "radeval-core" for other in r.extras]
            found += [r for r in wanted if canonicalize_name(r.name) != "radeval-core"]
    return found, done


@pytest.mark.parametrize("lock", ["test", "harness"])
def test_the_lock_meets_every_requirement_of_pyproject(lock, root, locks):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    locked = pins(locks[lock])
    built_with = map(Requirement, project["build-system"]["requires"])
    for wanted in [*required(project["project"], lock)[0], *built_with]:
        assert wanted.specifier.contains(locked[canonicalize_name(wanted.name)]), str(wanted)


def test_every_extra_is_tested_with_a_lock(root):
    """vllm needs a GPU and many gigabytes; every other extra is installed by one of the two tiers."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    tested = required(project, "test")[1] | required(project, "harness")[1]
    assert set(project["optional-dependencies"]) - tested == {"vllm"}


def test_the_lock_of_the_harness_tier_has_the_tested_versions_but_for_those_it_must_replace(
    locks, constraints, harness_constraints
):
    locked = pins(locks["harness"])
    assert harness_constraints.items() <= locked.items()
    expected = {**constraints, **harness_constraints}
    assert {name: v for name, v in locked.items() if name in expected} == {
        name: v for name, v in expected.items() if name in locked
    }


def test_the_harness_tier_replaces_no_version_without_need(constraints, harness_constraints):
    same = [name for name, version in harness_constraints.items() if constraints.get(name) == version]
    assert not same, f"constraints.txt has the same version: remove the line of {same} from constraints-harness.txt"


def test_the_tools_of_the_supply_chain_are_locked(root, locks):
    group = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["dependency-groups"]["supply-chain"]
    locked = pins(locks["tools"])
    for wanted in map(Requirement, group):
        assert wanted.specifier.contains(locked[canonicalize_name(wanted.name)]), wanted


def test_the_lock_is_complete(locks):
    """pip installs it with --no-deps, so a package that is missing here would be missing in the environment."""
    needed = packages_needed("radeval_core", ["test"])
    locked = {canonicalize_name(pin(entry).name) for lock in ("test", "cuda") for entry in locks[lock]}
    assert needed <= locked


def test_the_locked_versions_meet_what_the_packages_ask_of_each_other(locks):
    locked = pins(locks["test"])
    for name in packages_needed("radeval_core", ["test"]) - {"triton"}:
        for wanted in map(Requirement, importlib.metadata.requires(name) or []):
            other = canonicalize_name(wanted.name)
            if other in locked and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
                assert wanted.specifier.contains(locked[other], prereleases=True), f"{name} needs {wanted}"


def test_what_cuda_adds_is_only_for_linux_and_not_in_the_lock_of_the_tests(locks):
    for entry in locks["cuda"]:
        assert not pin(entry).marker.evaluate({**CI, "sys_platform": "darwin", "platform_machine": "arm64"})
    assert cuda_only(locks["cuda"], locks["test"]) == locks["cuda"]
    assert any(pin(entry).name.startswith("nvidia-") for entry in locks["cuda"])
    assert not any(pin(entry).name.startswith("nvidia-") for entry in locks["test"])


def test_make_and_ci_install_with_hashes(root):
    makefile = (root / "Makefile").read_text("utf-8")
    assert "tools/install_locked.py" in makefile and "HASHES ?= yes" in makefile
    assert (root / ".ci" / "run").read_text("utf-8").endswith("make test\nmake harness\n")
    assert "tools/install_locked.py harness" in makefile and "-m harness tests/harness" in makefile


# the parts of write_locks.py

A, B = "a" * 64, "b" * 64


def test_entries_are_read_with_their_hashes_and_without_comments():
    text = f"# note\none==1 \\\n    --hash=sha256:{A} \\\n    --hash=sha256:{B}\n    # via two\n"
    text += f"two==2 ; sys_platform == 'linux' \\\n    --hash=sha256:{B}\n"
    one, two = entries(text)
    assert (str(pin(one)), hashes(one)) == ("one==1", [A, B])
    assert (pin(two).name, str(pin(two).marker), hashes(two)) == ("two", 'sys_platform == "linux"', [B])


def test_cuda_gets_other_versions_of_a_package_but_not_the_same_one_again():
    tested = [f"triton==3.9.0 --hash=sha256:{A}", f"Six==1 --hash=sha256:{A}"]
    everything = [f"triton==3.7.1 --hash=sha256:{B}", f"triton==3.9.0 --hash=sha256:{A}", f"six==1 --hash=sha256:{A}"]
    assert cuda_only(everything, tested) == everything[:1]


def test_requirements_of_a_cpu_build_leave_out_cuda():
    given = ["filelock", "nvidia-cublas==13; sys_platform == 'linux'", "cuda-toolkit==13", "triton==3.7.1", "cudam>1"]
    assert without_cuda(given) == ["filelock", "cudam>1"]


def test_constraints_are_replaced_by_name_and_the_others_kept():
    old = "# the tested set\nFiles.Spec==2\nsix==1\n\n"
    assert replaced(old, "# why\nfiles-spec==1  # needs the old one\nextra==3\n") == "six==1\nfiles-spec==1\nextra==3\n"


def test_cpu_builds_of_the_same_version_are_kept_and_others_dropped():
    builds = {"torch-2.13.0+cpu-cp311.whl": A, "torch-2.13.0+cpu-cp312.whl": B}
    text = "\n".join(cpu_lock("2.13.0", builds))
    assert cpu_builds(text, "2.13.0") == builds
    assert cpu_builds(text, "2.13.1") == {}
    (entry,) = entries(text)
    assert (str(pin(entry)), hashes(entry)) == ("torch==2.13.0+cpu", [A, B])


@pytest.mark.parametrize(("version", "expected"), [("2.13.0+cpu", True), ("2.13.0", False), ("2.13.0+cu130", False)])
def test_which_build_of_torch_needs_cuda(version, expected):
    assert is_cpu_build(version) is expected


# installing


@pytest.fixture
def checkout(root, tmp_path):
    """Return a folder with the installer and the wheel of an empty package."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "locks").mkdir()
    shutil.copy(root / "tools" / "install_locked.py", tmp_path / "tools")
    with zipfile.ZipFile(tmp_path / "empty-1-py3-none-any.whl", "w") as wheel:
        info = "empty-1.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: empty\nVersion: 1\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return tmp_path


def install(checkout, digest):
    """Run the installer with a lock of the empty package; return the process."""
    lock = f"--no-index\n--find-links {checkout}\nempty==1 --hash=sha256:{digest}\n"
    (checkout / "locks" / "build.txt").write_text(lock)
    (checkout / "locks" / "test.txt").write_text("torch==0.0.0\n")  # which is nowhere: the run ends there
    environment = {**os.environ, "PIP_TARGET": str(checkout / "installed"), "PIP_NO_INDEX": "1"}
    command = [sys.executable, str(checkout / "tools" / "install_locked.py")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.e2e
def test_a_file_with_other_bytes_than_the_lock_names_is_not_installed(checkout):
    done = install(checkout, A)
    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert "pip could not install locks/build.txt" in done.stderr and "HASHES=no" in done.stderr
    assert not (checkout / "installed").exists()


@pytest.mark.e2e
def test_a_file_with_the_bytes_that_the_lock_names_is_installed(checkout):
    (wheel,) = checkout.glob("*.whl")
    done = install(checkout, hashlib.sha256(wheel.read_bytes()).hexdigest())
    assert "pip finds no torch 0.0.0 for this Python and system" in done.stderr
    assert [path.name for path in (checkout / "installed").iterdir()] == ["empty-1.dist-info"]
