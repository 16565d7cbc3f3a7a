"""Starts a new metric: writes a small one that already works, with every file the tests and the Hub ask for.

Run it from a checkout: `python tools/new_metric.py NAME`.
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from itertools import pairwise
from pathlib import Path

HELP = """what it writes, for a metric called NAME:
  src/radeval_core/scorers/NAME.py   SPEC: the declared facts; SCORER: how a pair is scored
  metrics/NAME/NAME.py               the evaluate module: documentation and options, no logic
  metrics/NAME/README.md             the card, with the sections every card has
  metrics/NAME/requirements.txt      the core, with the extras the metric needs
  spaces/NAME/app.py                 the demo

The metric it starts from is the overlap of words (Jaccard). It passes every test as it is. Then:
  1. Put your arithmetic in src/radeval_core/scores/ as pure functions, with hand-worked tests.
  2. Call them in the scorer. Correct each field of SPEC: the tests hold the metric to every one.
  3. Name each option in `options` of the scorer and in `_compute` of the module, with the same default.
  4. Add an extra to requirements.txt and to the config if it runs a model: radeval_core[models].
  5. Rewrite the card: numbers in it come from a command that stands beside them.

try it:
  python tools/new_metric.py word_overlap
  radeval metrics
  pytest tests/metrics -k word_overlap
  radeval hub publish word_overlap --dry-run out
"""

SCORER = '''"""`@NAME@`: which share of the words of two reports they have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from radeval_core.pairs import Pair
from radeval_core.scorer import PairScores, Scorer
from radeval_core.spec import Config, EmptyRule, MetricSpec

SPEC = MetricSpec(
    name="@NAME@",
    measures="share of common words (Jaccard index)",
    version=1,
    higher_is_better=True,
    bounds=(0.0, 1.0),
    symmetric=True,
    identity=1.0,
    empty=EmptyRule(prediction=0.0, reference=0.0, both=0.0, why="no word can match"),
    multi_reference=True,
    corpus_headline=False,
    two_pass=False,
    parts=(),
    configs=(Config("embedded", "word sets, no model"),),
    takes_checkpoint=False,
    backends=(),
    citation="""@article{jaccard1901etude,
  title={{\\'E}tude comparative de la distribution florale dans une portion des {A}lpes et du {J}ura},
  author={Jaccard, Paul}, journal={Bulletin de la Soci{\\'e}t{\\'e} Vaudoise des Sciences Naturelles},
  volume={37}, pages={547--579}, year={1901}
}""",
    urls=("https://doi.org/10.5169/seals-266450",),
)


def words(text: str) -> set[str]:
    """The distinct words and punctuation marks of a report, without case."""
    return set(re.findall(r"\\w+|[^\\w\\s]", text.lower()))


def jaccard(one: set[str], other: set[str]) -> float:
    """Common elements as a share of all; 0 if there are none at all."""
    return len(one & other) / len(one | other) if one | other else 0.0


class @CLASS@Scorer(Scorer):
    """The overlap with the reference; with several references, the best one."""

    spec = SPEC

    def score(self, pairs: Sequence[Pair], detailed: bool) -> PairScores:
        scores = [max(jaccard(words(p.prediction), words(r)) for r in p.references) for p in pairs]
        details = [_detail(p) for p in pairs] if detailed else None
        return PairScores({"@NAME@": np.array(scores)}, details=details)

    def signature_fields(self) -> dict[str, object]:
        return {"tok": "words-lc"}


def _detail(pair: Pair) -> dict[str, list[str]]:
    mine, theirs = words(pair.prediction), words(pair.reference)
    return {"common": sorted(mine & theirs), "added": sorted(mine - theirs), "missing": sorted(theirs - mine)}


SCORER = @CLASS@Scorer
'''

MODULE = '''"""@TITLE@ for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core


class @CLASS@(ReportMetric):
    """@TITLE@: which share of the words of a report and its reference they have in common.

    The headline is the mean over pairs. With several references, the best one counts.

    Options of compute:
        detailed: also return the common, added and missing words of each pair.

    Examples:
        >>> import evaluate
        >>> @NAME@ = evaluate.load("radeval/@NAME@")
        >>> result = @NAME@.compute(
        ...     predictions=["No pleural effusion or pneumothorax. Heart size is normal."],
        ...     references=["No pleural effusion or pneumothorax. The heart is normal in size."],
        ... )
        >>> round(result["@NAME@"], 4)
        0.8333
    """

    metric = "@NAME@"

    def _compute(self, predictions, references, detailed=False):
        return self.score_lists(predictions, references, detailed)
'''

CARD = """---
title: @TITLE@ for radiology reports
emoji: "📏"
colorFrom: blue
colorTo: gray
sdk: gradio
sdk_version: 6.31.0
app_file: app.py
pinned: false
license: apache-2.0
tags: [evaluate, metric, radiology]
description: "@TITLE@: the share of words a generated radiology report shares with its reference"
---

# @TITLE@

## What it measures

Which share of the distinct words of the generated report and the reference report stand in both.

## How to use

```python
import evaluate

@NAME@ = evaluate.load("radeval/@NAME@")
result = @NAME@.compute(
    predictions=["No pleural effusion or pneumothorax. Heart size is normal."],
    references=["No pleural effusion or pneumothorax. The heart is normal in size."],
)
print(round(result["@NAME@"], 4))
```

```text
0.8333
```

Option of `compute`: `detailed=True` adds, under `details`, the common, added and missing words of each pair.

Result: `@NAME@`, `scores` (one float a pair), `unscored`, `signature`.

## How to read it

1 says that the two reports use the same words; it does not say that they make the same statements.

## Range and direction

- 0 to 1; higher is better.
- A report against itself scores 1. Symmetric.
- Empty prediction, empty reference, or both: 0 (no word can match).
- Several references a pair: the best one counts.

## Values from papers

None yet.

## Limits

It does not see order, negation or side: "small left effusion, no pneumothorax" and "no left effusion, small
pneumothorax" have the same words.

## Parity

The Jaccard index of word sets by its definition; there is no published implementation for reports to compare with.

## Citation

```bibtex
@article{jaccard1901etude,
  title={{\\'E}tude comparative de la distribution florale dans une portion des {A}lpes et du {J}ura},
  author={Jaccard, Paul}, journal={Bulletin de la Soci{\\'e}t{\\'e} Vaudoise des Sciences Naturelles},
  volume={37}, pages={547--579}, year={1901}
}
```
"""

REQUIREMENTS = "radeval_core>=@VERSION@\n"

APP = '''"""The demo of `@NAME@`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("@NAME@")

if __name__ == "__main__":
    launch(demo)
'''


def new_metric(name: str, root: Path) -> list[Path]:
    """Write the files of a new metric and return their paths.

    Args:
        name: the metric: lower snake case.
        root: the checkout.

    Raises:
        ValueError: the name cannot be taken, or the folder is no checkout.
    """
    check_name(name)
    package = root / "src" / "radeval_core"
    if not (package / "scorers").is_dir():
        raise ValueError(f"{root} is not a checkout of radeval: run it from one, or pass --root DIR")
    files = {
        package / "scorers" / f"{name}.py": SCORER,
        root / "metrics" / name / f"{name}.py": MODULE,
        root / "metrics" / name / "README.md": CARD,
        root / "metrics" / name / "requirements.txt": REQUIREMENTS,
        root / "spaces" / name / "app.py": APP,
    }
    for path in (package / "scorers" / f"{name}.py", root / "metrics" / name, root / "spaces" / name):
        if path.exists():
            raise ValueError(f"{name!r} is taken: {path} exists; choose another name")
    words = {
        "@NAME@": name,
        "@CLASS@": class_name(name),
        "@TITLE@": name.replace("_", " ").capitalize(),
        "@VERSION@": core_version(package),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        for mark, word in words.items():
            text = text.replace(mark, word)
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(files)


def check_name(name: str) -> None:
    """Refuse a name that cannot be a Python module, a Hub slug and a word of the command line at once."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise ValueError(f"{name!r} is not lower snake case: write it like radgraph_f1")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise ValueError(f"{name!r} is a word of Python: choose another name")
    if name == "all":
        raise ValueError("'all' stands for every metric on the command line: choose another name")


def class_name(name: str) -> str:
    """The class of the module: `radgraph_f1` becomes `RadgraphF1`.

    `evaluate` makes the metric's name out of the class name, so an underscore stays where it could not put it back:
    before a digit and after a single letter.
    """
    parts = name.split("_")
    joined = parts[0].capitalize()
    for before, part in pairwise(parts):
        joined += ("_" if part[0].isdigit() or len(before) == 1 else "") + part.capitalize()
    return joined


def core_version(package: Path) -> str:
    """The version the core declares."""
    found = re.search(r'^__version__ = "(.+)"$', (package / "__init__.py").read_text("utf-8"), re.MULTILINE)
    if not found:
        raise ValueError(f"{package / '__init__.py'} declares no __version__")
    return found.group(1)


def main() -> int:
    """Run the command. 0: done; 2: the name or the folder is wrong."""
    parser = argparse.ArgumentParser(
        description="Start a new metric of radeval.", epilog=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", metavar="NAME", help="the metric: lower snake case, such as radgraph_f1")
    checkout = Path(__file__).resolve().parents[1]
    parser.add_argument("--root", type=Path, default=checkout, metavar="DIR", help="the checkout (default: this one)")
    args = parser.parse_args()
    try:
        written = new_metric(args.name, args.root)
    except ValueError as error:
        print(f"new_metric: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(path)
    print(f"It works as it is: pytest tests/metrics -k {args.name}. What to change next: --help")
    return 0


if __name__ == "__main__":
    sys.exit(main())
