"""Assemble the files of a Space from a checkout, and upload them to the Hub.

The Space of a metric has two uses: `evaluate.load("radeval/<name>")` reads `<name>.py` from it, and people see its
demo. The workbench and the leaderboard are only pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import HfApi, get_token, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HTTPError
from huggingface_hub.utils import HFValidationError, validate_repo_id
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from radeval_core import __version__
from radeval_core.errors import InputError, RadevalError
from radeval_core.hub.refusal import refusal
from radeval_core.registry import metric_names

_CORE = canonicalize_name("radeval_core")
#: the app of a metric's Space; the texts of its page are in the core
_APP = '''"""The demo of `@NAME@`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("@NAME@")

if __name__ == "__main__":
    launch(demo)
'''
#: the organisation that cards, docstrings and examples in the checkout name
HOME = "radeval"
#: the extra that the demo needs; the metric alone does not need it
_DEMO_EXTRA = "spaces"


def space_names(root: Path) -> list[str]:
    """Return the names of all Spaces of a checkout: first the metrics, then the pages, whose folder has a card."""
    pages = sorted(card.parent.name for card in (root / "spaces").glob("*/README.md"))
    return [*metric_names(), *pages]


def assemble(name: str, root: Path, out: Path, org: str = HOME, wheel: Path | None = None) -> Path:
    """Write a Space to the folder `out` and return it.

    Everything is read and checked before the first file is written.

    Args:
        name: a metric, or a page.
        root: the checkout, with `metrics/` and `spaces/`.
        out: a new or empty folder, or one that this function wrote before.
        org: the user or organisation that it is published under; cards, docstrings and examples name it.
        wheel: a wheel of this version of the core, to install it from the Space instead of the package index.
    """
    _check_repo_id(org, name)
    files: dict[str, str | bytes] = {
        file: _for_org(text, org, space_names(root)) for file, text in _space_files(name, root).items()
    }
    if wheel is not None:
        files |= _with_wheel(str(files["requirements.txt"]), wheel, f"{org}/{name}")
    try:
        foreign = sorted(f.name for f in out.iterdir() if f.name not in files) if out.exists() else []
        if foreign:
            names = ", ".join(foreign)
            raise InputError(f"{out} has files that do not belong to the Space: {names}; give another folder")
        out.mkdir(parents=True, exist_ok=True)
        for file_name, content in files.items():
            (out / file_name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(f"cannot write the Space to {out}: {error.strerror}") from error
    return out


def upload(space: Path, org: str) -> str:
    """Create or update the Space of an assembled folder, `org/<folder name>`, on the Hub and return its address."""
    return upload_folder(space, org, space.name, "space", space_sdk="gradio")


def upload_folder(
    folder: Path,
    org: str,
    name: str,
    repo_type: str,
    *,
    files: Sequence[str] | None = None,
    space_sdk: str | None = None,
) -> str:
    """Create or update a repository on the Hub with the files of a folder, and return its address.

    Args:
        folder: folder to upload.
        org: the user or organisation.
        name: the repository's name.
        repo_type: `space`, `dataset` or `model`.
        files: upload only these paths in the folder; all by default.
        space_sdk: SDK of a Space.
    """
    repo_id = _check_repo_id(org, name)
    if get_token() is None:
        raise RadevalError(f"cannot publish {repo_id}: you are not logged in to the Hub; type: hf auth login")
    try:
        api = HfApi(library_name="radeval_core", library_version=__version__)
        url = api.create_repo(repo_id, repo_type=repo_type, space_sdk=space_sdk, exist_ok=True)
        api.upload_folder(
            repo_id=repo_id,
            repo_type=repo_type,
            folder_path=folder,
            allow_patterns=None if files is None else list(files),
            commit_message=f"Publish {name} with radeval_core {__version__}",
        )
    except HfHubHTTPError as error:
        raise RadevalError(f"cannot publish {repo_id}: {refusal(error, f'write to {org!r}', '--org')}") from error
    except ValueError as error:
        raise RadevalError(f"cannot publish {repo_id}: the Hub answered: {error}") from error
    except (HTTPError, OSError) as error:
        raise RadevalError(
            f"cannot publish {repo_id}: the Hub cannot be reached ({error or type(error).__name__}); "
            "check the network and HF_ENDPOINT, then type the same command again"
        ) from error
    return str(url)


def _check_repo_id(org: str, name: str) -> str:
    try:
        validate_repo_id(f"{org}/{name}")
    except HFValidationError as error:
        raise InputError(f"{org!r} is not a valid name of a user or organisation on the Hub: {error}") from error
    return f"{org}/{name}"


def _space_files(name: str, root: Path) -> dict[str, str]:
    """Return the checked texts of a Space's files by file name."""
    page = root / "spaces" / name
    is_metric = not (page / "README.md").is_file()
    home = root / "metrics" / name if is_metric else page
    card, requirements = home / "README.md", home / "requirements.txt"
    files = {f"{name}.py": _read(home / f"{name}.py", root)} if is_metric else {}
    files |= {
        card.name: _read(card, root),
        "app.py": _APP.replace("@NAME@", name) if is_metric else _read(page / "app.py", root),
        requirements.name: _pinned(_read(requirements, root), requirements),
    }
    _check_front_matter(front_matter(files[card.name], card), card, is_metric)
    return files


def _for_org(text: str, org: str, names: Sequence[str]) -> str:
    """Return a text in which `radeval/<name>` of a Space is `org/<name>`; paths such as ~/share/radeval/… stay."""
    spaces = "|".join(map(re.escape, names))
    place = rf"(?<![\w.~/-])((?:https://huggingface\.co/)?(?:spaces/)?){HOME}/(?=(?:{spaces})\b)"
    return re.sub(place, lambda found: f"{found[1]}{org}/", text)


def _with_wheel(requirements: str, wheel: Path, repo_id: str) -> dict[str, str | bytes]:
    """Return the wheel, and the requirements that install the core from it.

    A Space installs its requirements before its other files are copied, so a relative path finds no wheel there. The
    address of the file in the Space's repository works from the first build on.
    """
    try:
        package, version, *_ = parse_wheel_filename(wheel.name)
        content = wheel.read_bytes()
    except InvalidWheelFilename as error:
        raise InputError(f"--wheel {wheel}: not the name of a wheel; to build one, type: python -m build") from error
    except OSError as error:
        raise InputError(f"--wheel {wheel}: cannot be read: {error.strerror}; to build it: python -m build") from error
    if package != _CORE or str(version) != __version__:
        raise InputError(f"--wheel {wheel}: expected radeval_core {__version__}; to build it, type: python -m build")
    address = hf_hub_url(repo_id, wheel.name, repo_type="space", revision="main")
    lines = []
    for line in requirements.splitlines():
        bare = re.sub(r"(^|\s)#.*", "", line).strip()
        if bare and canonicalize_name((requirement := Requirement(bare)).name) == _CORE:
            line = f"{requirement.name}[{','.join(sorted(requirement.extras))}] @ {address}"
        lines.append(line)
    return {"requirements.txt": "\n".join(lines) + "\n", wheel.name: content}


def _read(path: Path, root: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason})") from error
    except OSError as error:
        if (root / "metrics").is_dir() and (root / "spaces").is_dir():
            raise InputError(f"{path} is missing: a metric cannot be published without it") from error
        raise InputError(
            f"{path} is missing: {root} is not a checkout of radeval; run it from one, or pass --root DIR"
        ) from error


def front_matter(text: str, path: Path) -> dict[str, Any]:
    """Return the fields of the YAML block between `---` lines at the top of a card.

    Args:
        text: the card.
        path: the card's path, for error messages.
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---" or "---" not in lines[1:]:
        raise InputError(f"{path}: must start with a YAML block between two lines of ---")
    try:
        fields = yaml.safe_load("\n".join(lines[1 : lines.index("---", 1)]))
    except yaml.YAMLError as error:
        raise InputError(f"{path}: the YAML at the top cannot be read: {error}") from error
    if not isinstance(fields, dict):
        raise InputError(f"{path}: the YAML at the top must be fields, such as `title: BLEU`")
    return fields


def _check_front_matter(fields: dict[str, Any], path: Path, is_metric: bool) -> None:
    """Refuse a card with which the Hub would not run the Space or `evaluate` would not list the metric."""
    needed = {"evaluate", "metric"} if is_metric else {"radiology"}
    checks: dict[str, tuple[Callable[[Any], bool], str]] = {
        "title": (lambda v: isinstance(v, str) and bool(v.strip()), "some text"),
        "sdk": (lambda v: v == "gradio", "gradio"),
        "sdk_version": (_is_version, "a version as text, such as 6.31.0"),
        "app_file": (lambda v: v == "app.py", "app.py"),
        "tags": (
            lambda v: isinstance(v, list) and needed <= {str(t) for t in v},
            f"a list with {' and '.join(sorted(needed))}",
        ),
    }
    for field, (holds, expected) in checks.items():
        if field not in fields:
            raise InputError(f"{path}: field {field!r} is missing at the top: expected {expected}")
        if not holds(fields[field]):
            raise InputError(f"{path}: field {field!r} must be {expected}, got {fields[field]!r}")


def _is_version(value: Any) -> bool:
    """Return True if a field is a version as text. YAML reads 6.30 as a number, which loses the zero."""
    try:
        return isinstance(value, str) and bool(Version(value))
    except InvalidVersion:
        return False


def _pinned(text: str, path: Path) -> str:
    """Return the requirements with the core pinned to this version and with the demo's extra; keep other lines."""
    lines, found = [], False
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"(^|\s)#.*", "", line).strip()
        if not bare:
            lines.append(line)
            continue
        try:
            requirement = Requirement(bare)
        except InvalidRequirement as error:
            raise InputError(f"{path}: line {number}: expected a requirement like name>=1.0, got {bare!r}") from error
        if canonicalize_name(requirement.name) != _CORE:
            lines.append(line)
            continue
        if not requirement.specifier.contains(__version__, prereleases=True):
            raise InputError(f"{path}: line {number}: {bare} does not allow this version of the core, {__version__}")
        requirement.extras.add(_DEMO_EXTRA)
        requirement.specifier = SpecifierSet(f"=={__version__}")
        lines.append(str(requirement))
        found = True
    if not found:
        raise InputError(f"{path}: no line names radeval_core: expected radeval_core>={__version__}")
    return "\n".join(lines) + "\n"
