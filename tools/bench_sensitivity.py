"""How far each metric falls when one error of a known kind is put into a report: table 3 of the FFL paper.

    python tools/bench_sensitivity.py
    python tools/bench_sensitivity.py --metrics bleu,rouge,ffl_rq --data pairs.jsonl --seeds 5

Every reference is changed in one way (radeval_core.findings.perturb) and scored against itself. Printed is the mean
fall below the score of the unchanged report: an error should cost much, a change that keeps the meaning nothing.
The last column is the mean fall over all kinds of error, divided by the mean fall over the kinds that keep the meaning.
The changes are made and checked by our own findings parser, which `ffl_rq` reads with too: this favours it.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from radeval_core import load, metric_names
from radeval_core.findings.perturb import KINDS, MEANING_KEPT, perturb
from radeval_core.io import open_pairs

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "pairs.jsonl"


def changed_pairs(references: list[str], kind: str, seeds: int) -> list[tuple[str, str]]:
    """(changed, unchanged) for every reference and seed that can be changed in that way; each change once."""
    found = {}
    for text in references:
        for seed in range(seeds):
            changed = perturb(text, kind, seed)
            if changed is not None:
                found[changed.text, text] = None
    return list(found)


def mean_fall(metric, pairs: list[tuple[str, str]]) -> float:
    """The mean score of unchanged reports against themselves, less that of the changed ones."""
    if not pairs:
        return math.nan
    changed, unchanged = map(list, zip(*pairs, strict=True))
    before = metric.compute(unchanged, unchanged)["scores"]
    after = metric.compute(changed, unchanged)["scores"]
    falls = [b - a for b, a in zip(before, after, strict=True) if not math.isnan(b - a)]
    return sum(falls) / len(falls) if falls else math.nan


def main() -> None:
    """Print one row a metric, one column a kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", default=str(EXAMPLES), help="pairs whose references are changed (default: the examples)"
    )
    parser.add_argument("--metrics", default=",".join(metric_names()), help="comma-separated names (default: all)")
    parser.add_argument("--seeds", type=int, default=3, help="changes a report and kind (default: 3)")
    args = parser.parse_args()
    references = list(dict.fromkeys(pair.reference for pair in open_pairs(args.data)))
    pairs = {kind: changed_pairs(references, kind, args.seeds) for kind in KINDS}
    errors = [kind for kind in KINDS if kind not in MEANING_KEPT]
    print(f"{len(references)} reports from {Path(args.data).name}, {args.seeds} seeds; mean fall of the score\n")
    print(f"{'':14}" + "".join(f"{kind:>11}" for kind in KINDS) + f"{'ratio':>9}")
    print(f"{'changes':14}" + "".join(f"{len(pairs[kind]):11}" for kind in KINDS))
    for name in args.metrics.split(","):
        metric = load(name)
        falls = {kind: mean_fall(metric, pairs[kind]) for kind in KINDS}
        cost = sum(falls[kind] for kind in errors) / len(errors)
        noise = sum(falls[kind] for kind in sorted(MEANING_KEPT)) / len(MEANING_KEPT)
        ratio = f"{cost / noise:9.1f}" if noise > 1e-9 else f"{'inf':>9}"
        print(f"{name:14}" + "".join(f"{falls[kind]:11.3f}" for kind in KINDS) + ratio)


if __name__ == "__main__":
    main()
