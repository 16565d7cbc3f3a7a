"""Start a new metric: write a small one that already works, with every file the tests and the Hub need.

Run it from a checkout: `python tools/new_metric.py NAME`. The files are copies of those in `tools/metric_template`.
"""

from __future__ import annotations

import argparse
import keyword
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

TEMPLATE = Path(__file__).resolve().parent / "metric_template"
HELP = """the eight files it writes, for a metric called NAME:
  src/radeval_core/metrics/NAME.py      SPEC: the declared facts; SCORER: its options and how pairs are scored
  src/radeval_core/functional/NAME.py   the arithmetic, as pure functions
  src/radeval_core/ui/views/NAME.py     what the metric saw in a pair, as HTML
  metrics/NAME/NAME.py                  the evaluate module: documentation and an example, no logic
  metrics/NAME/README.md                the card
  metrics/NAME/requirements.txt         the core, with the extras the metric needs
  spaces/NAME/space.yaml                the words of its page
  tests/functional/test_NAME.py         tests with values worked out by hand
It also adds the metric to README.md and docs/, where they list the metrics.

The metric it starts from is the overlap of words (Jaccard). It passes every test as it is. Then:
  1. Put your arithmetic into functional/NAME.py and its tests.
  2. Call it in the scorer. Correct each field of SPEC: the tests check every one.
  3. Declare each option once, in `options` of the scorer, then type `python tools/write_metric_docs.py`.
  4. If it runs a model, add an extra to requirements.txt and to the config: radeval_core[models].
  5. Rewrite card, view and page: every number in the card comes from a command beside it.

try it:
  python tools/new_metric.py word_overlap
  radeval metrics word_overlap
  pytest tests/metrics tests/functional -k word_overlap
  radeval hub publish word_overlap --dry-run out
"""


def new_metric(name: str, root: Path) -> list[Path]:
    """Write the files of a new metric and return their paths.

    Args:
        name: the metric, in lower snake case.
        root: the checkout.

    Raises:
        ValueError: the name is not possible or taken, or the folder is not a checkout.
    """
    check_name(name)
    package = root / "src" / "radeval_core"
    if not (package / "metrics").is_dir():
        raise ValueError(f"{root} is not a checkout of radeval: run it from one, or pass --root DIR")
    words = {
        "new_metric": name,
        "NewMetric": class_name(name),
        "New metric": name.replace("_", " ").capitalize(),
        "0.0.0": core_version(package),
    }
    sources = sorted(path for path in TEMPLATE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    files = {root / _filled(path.relative_to(TEMPLATE).as_posix(), words): path for path in sources}
    tests = list((root / "tests").rglob(f"test_{name}.py"))  # pytest does not allow two test files with the same name
    folders = [root / "metrics" / name, root / "spaces" / name]
    for path in (*files, *folders, *tests):
        if path.exists():
            raise ValueError(f"{name!r} is taken: {path} exists; choose another name")
    for path, source in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_filled(source.read_text("utf-8"), words), encoding="utf-8", newline="\n")
    return list(files)


def write_documents(root: Path) -> list[Path]:
    """Add new metrics to the documents of a checkout, and return the paths of those that changed."""
    # in another process, with the package of that checkout
    command = [sys.executable, str(root / "tools" / "write_metric_docs.py")]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [root / line for line in dict.fromkeys(done.stdout.splitlines())]


def _filled(text: str, words: dict[str, str]) -> str:
    """Return a template filled in for the new metric."""
    return re.sub("|".join(map(re.escape, words)), lambda found: words[found.group()], text)


def check_name(name: str) -> None:
    """Raise ValueError for a name that cannot be a Python module, a Hub slug and an argument of the command line."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise ValueError(f"{name!r} is not lower snake case: write it like radgraph_f1")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise ValueError(f"{name!r} is a word of Python: choose another name")
    if name == "all":
        raise ValueError("'all' means every metric on the command line: choose another name")


def class_name(name: str) -> str:
    """Return the class name of the module: `radgraph_f1` becomes `RadgraphF1`.

    `evaluate` derives the metric's name from the class name, so an underscore is kept where it could not be restored:
    before a digit and after a single letter.
    """
    parts = name.split("_")
    joined = parts[0].capitalize()
    for before, part in pairwise(parts):
        joined += ("_" if part[0].isdigit() or len(before) == 1 else "") + part.capitalize()
    return joined


def core_version(package: Path) -> str:
    """Return the version that the core declares."""
    found = re.search(r'^__version__ = "(.+)"$', (package / "__init__.py").read_text("utf-8"), re.MULTILINE)
    if not found:
        raise ValueError(f"{package / '__init__.py'} declares no __version__")
    return found.group(1)


def main() -> int:
    """Run the command. Return 0 on success, 2 if the name or the folder is wrong, 1 for any other error."""
    parser = argparse.ArgumentParser(
        description="Start a new metric of radeval.", epilog=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", metavar="NAME", help="the metric in lower snake case, such as radgraph_f1")
    checkout = Path(__file__).resolve().parents[1]
    parser.add_argument("--root", type=Path, default=checkout, metavar="DIR", help="the checkout (default: this one)")
    args = parser.parse_args()
    root = args.root.resolve()
    try:
        written = new_metric(args.name, root)
    except ValueError as error:
        print(f"new_metric: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(f"written {path.relative_to(root)}")
    try:
        changed = write_documents(root)
    except subprocess.CalledProcessError:
        print("new_metric: run python tools/write_metric_docs.py when the error above is solved", file=sys.stderr)
        return 1
    for path in changed:
        if path not in written:
            print(f"changed {path.relative_to(root)}")
    print(f"It works as it is: pytest tests/metrics tests/functional -k {args.name}. What to change next: --help")
    return 0


if __name__ == "__main__":
    sys.exit(main())
