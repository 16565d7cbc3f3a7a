"""Install what the tests need into this Python, byte for byte as `locks/` names it, and then this package.

Usage: .venv/bin/python tools/install_locked.py                   (`make quick` and `make test` run it)
       build/harness/bin/python tools/install_locked.py harness   (`make harness` runs it)

The locks are complete and contain what builds a package, so pip resolves nothing and fetches nothing else. Only torch
has two builds: where the index has CPU builds, pip would choose one, and so do we (locks/torch-cpu.txt). Otherwise it
is the build on PyPI, which on Linux needs CUDA's libraries (locks/cuda.txt).
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
_HINT = (
    "pip could not install locks/{lock}.txt. If the hashes do not match, the index has other files than the lock: find "
    "out why before you go on. 'make lock' writes the locks for your index; HASHES=no (make quick HASHES=no) installs "
    "the constraints without hashes."
)


def install(lock: str, *options: str) -> None:
    """Install one lock file with its hashes."""
    done = subprocess.run([*_PIP, "--require-hashes", "--no-deps", *options, "-r", f"locks/{lock}.txt"], cwd=ROOT)
    if done.returncode:
        sys.exit(_HINT.format(lock=lock))


def torch_build(version: str) -> str:
    """Return the build of torch that pip chooses here, such as `2.13.0+cpu`. Nothing is installed."""
    command = [*_PIP, "--dry-run", "--ignore-installed", "--no-deps", "--report", "-", f"torch=={version}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"pip finds no torch {version} for this Python and system")
    return str(json.loads(done.stdout)["install"][0]["metadata"]["version"])


def is_cpu_build(version: str) -> bool:
    """Return True if the version of torch is a CPU build."""
    return version.endswith("+cpu")


def main() -> None:
    """Install the locks in order, then this package as an editable one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "lock", nargs="?", choices=("test", "harness"), default="test", help="what the environment is for"
    )
    lock = parser.parse_args().lock
    install("build")
    (version,) = re.findall(r"^torch==(\S+)", (ROOT / "locks" / f"{lock}.txt").read_text("utf-8"), re.MULTILINE)
    if is_cpu_build(torch_build(version)):
        install("torch-cpu")
    install(lock, "--no-build-isolation")  # pip leaves a torch that is there
    if not is_cpu_build(importlib.metadata.version("torch")):
        install("cuda")
    subprocess.run([*_PIP, "--no-deps", "--no-build-isolation", "-e", str(ROOT)], check=True)


if __name__ == "__main__":
    main()
