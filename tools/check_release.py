"""Build wheel and sdist of the last commit twice, compare the bytes, and write them with an SBOM.

Usage: make release-check
       python tools/check_release.py --tools build/tools/bin [--out dist]

The sources are two exports of the last commit in different folders, and SOURCE_DATE_EPOCH is the time of that commit:
anyone can build the same bytes from it. The SBOM (CycloneDX JSON) lists the packages of this environment that the extra
`all` needs. cyclonedx-py writes it; this script leaves out the test tools, and checks it against the schema.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PACKAGE = "radeval_core"
SBOM = "radeval_core.cdx.json"
_VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read())
sys.exit(f"not valid CycloneDX 1.6: {error}" if error else 0)
"""


def packages_needed(name: str, extras: Iterable[str]) -> set[str]:
    """Return the installed packages that a package with some extras needs here, directly or not."""
    found: set[str] = set()
    todo, done = [(canonicalize_name(name), frozenset(extras))], set()
    while todo:
        package, chosen = todo.pop()
        if (package, chosen) in done:
            continue
        done.add((package, chosen))
        found.add(package)
        for text in importlib.metadata.requires(package) or []:
            wanted = Requirement(text)
            if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *chosen)):
                todo.append((canonicalize_name(wanted.name), frozenset(wanted.extras)))
    return found - {canonicalize_name(name)}


def build(source: Path, out: Path, epoch: int) -> dict[str, Path]:
    """Build wheel and sdist of a source folder; return them by file name."""
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"the build failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return {file.name: file for file in sorted(out.iterdir())}


def differing(first: Mapping[str, Path], second: Mapping[str, Path]) -> list[str]:
    """Return the names of the files that are not in both builds with the same bytes."""
    names = sorted({*first, *second})
    same = [n for n in names if n in first and n in second and first[n].read_bytes() == second[n].read_bytes()]
    return [name for name in names if name not in same]


def restrict(sbom: dict[str, Any], kept: set[str], version: str) -> dict[str, Any]:
    """Return an SBOM with only some packages, and the version of the package it describes."""
    parts = [c for c in sbom["components"] if canonicalize_name(c["name"]) in kept]
    if missing := kept - {canonicalize_name(c["name"]) for c in parts}:
        raise SystemExit(f"the SBOM lacks {', '.join(sorted(missing))}")
    root = {
        **sbom["metadata"]["component"],
        "version": version,
        "purl": f"pkg:pypi/{PACKAGE.replace('_', '-')}@{version}",
    }
    refs = {root["bom-ref"], *(c["bom-ref"] for c in parts)}
    edges = [
        {**edge, "dependsOn": [ref for ref in edge["dependsOn"] if ref in refs]} if "dependsOn" in edge else edge
        for edge in sbom["dependencies"]
        if edge["ref"] in refs
    ]
    return {**sbom, "metadata": {**sbom["metadata"], "component": root}, "components": parts, "dependencies": edges}


def write_sbom(tools: Path, path: Path, epoch: int) -> int:
    """Write the SBOM of the extra `all` in this environment; return the number of packages in it."""
    command = [tools / "cyclonedx-py", "environment", sys.executable, "--pyproject", ROOT / "pyproject.toml"]
    whole = _run(
        *command, "--mc-type", "library", "--sv", "1.6", "--of", "JSON", "--output-reproducible",
        env={"SOURCE_DATE_EPOCH": str(epoch)},
    )  # fmt: skip
    version = importlib.metadata.version(PACKAGE)
    sbom = restrict(json.loads(whole), packages_needed(PACKAGE, ["all"]), version)
    text = json.dumps(sbom, indent=2, ensure_ascii=False) + "\n"
    if "file://" in text:
        raise SystemExit("the SBOM names a file of this machine: install the package from an index")
    _run(tools / "python", "-c", _VALIDATE, text=text)
    path.write_text(text, "utf-8")
    return len(sbom["components"])


def _run(*command: str | Path, text: str = "", env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(c) for c in command], input=text, capture_output=True, text=True, env={**os.environ, **(env or {})},
        cwd=ROOT, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{Path(command[0]).name} failed:\n{done.stderr.strip()}")
    return done.stdout


def _export(folder: Path) -> Path:
    """Write the files of the last commit into a folder."""
    done = subprocess.run(["git", "archive", "HEAD"], capture_output=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"git archive failed, run this in a clone: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def main() -> None:
    """Build, compare, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True, help="folder with the program cyclonedx-py and its python")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to write the files (default: dist)")
    args = parser.parse_args()
    epoch = int(_run("git", "log", "-1", "--format=%ct"))
    if changed := _run("git", "status", "--porcelain", "--untracked-files=no"):
        print(f"note: {len(changed.splitlines())} files differ from the last commit, which is what is built")
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder, "one"), Path(folder, "a longer name", "two")
        first = build(_export(one / "source"), one / "dist", epoch)
        second = build(_export(two / "source"), two / "dist", epoch)
        if different := differing(first, second):
            raise SystemExit(f"not reproducible, two builds differ: {', '.join(different)}")
        args.out.mkdir(parents=True, exist_ok=True)
        for name, file in first.items():
            shutil.copyfile(file, args.out / name)
            print(f"{args.out / name}: built twice, same bytes, sha256 {hashlib.sha256(file.read_bytes()).hexdigest()}")
    count = write_sbom(args.tools.absolute(), args.out / SBOM, epoch)
    print(f"{args.out / SBOM}: CycloneDX 1.6, {count} packages")


if __name__ == "__main__":
    main()
