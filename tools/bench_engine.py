"""Measure the time the engine saves: `bertscore` with and without dedup and length sorting, alternating in one run.

    python tools/bench_engine.py
    python tools/bench_engine.py --pairs 200 --repeats 5
    python tools/bench_engine.py --data my_pairs.jsonl

The plain way sends every report through the same model in the given order, 32 at a time. The engine sends each distinct
report once, longest first, within a token budget. Both must give the same scores. Compare ratios within one run,
because pairs per second differ between machines.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from pathlib import Path

import numpy as np

from radeval_core import Pair
from radeval_core.annotators.token_embeddings import TokenEmbedder, TokenVectors
from radeval_core.api import make_resources, make_scorer
from radeval_core.engine.similarity import best_matches
from radeval_core.functional.bertscore import precision_recall_f1, token_weights
from radeval_core.io import open_pairs
from radeval_core.metrics.bertscore import BertScorer
from radeval_core.runner import run

ROOT = Path(__file__).resolve().parent.parent
PLAIN_BATCH = 32


def repeating_corpus(n: int, distinct: int, seed: int = 0) -> list[Pair]:
    """Make pairs that repeat like real output: few distinct predictions, and references that rarely repeat.

    590 predictions of one published system on IU X-ray are 25 distinct texts; this ratio is the default.
    """
    draw = random.Random(seed)
    rows = [json.loads(line) for line in (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines()]
    sentences = [s for row in rows for s in re.split(r"(?<=[.:])\s+", row["reference"]) if len(s) > 12]
    report = lambda: " ".join(draw.sample(sentences, draw.randint(2, 9)))  # noqa: E731
    predictions = [report() for _ in range(distinct)]
    return [Pair(draw.choice(predictions), (report(),), i) for i in range(n)]


def with_engine(pairs: list[Pair], scorer: BertScorer) -> np.ndarray:
    """Score the pairs with the engine."""
    _, results = run(lambda: pairs, [scorer])
    return results["bertscore"].scores


def plain(pairs: list[Pair], embedder: TokenEmbedder) -> np.ndarray:
    """Score the pairs with the same model and matching, without dedup and sorting."""

    def vectors(texts: list[str]) -> list[TokenVectors]:
        found: list[TokenVectors] = []
        for i in range(0, len(texts), PLAIN_BATCH):
            ids = embedder.token_ids(texts[i : i + PLAIN_BATCH])
            found.extend(embedder.loop.run_batch(ids, embedder.collect))
        return found

    mine, theirs = vectors([p.prediction for p in pairs]), vectors([p.reference for p in pairs])
    best = best_matches([(m.vectors, t.vectors) for m, t in zip(mine, theirs, strict=True)], embedder.loop.device)
    weigh = lambda v: token_weights(v.ids, embedder.special_ids, None, 1.0)  # noqa: E731
    return np.array([
        precision_recall_f1(of_m, weigh(m), of_t, weigh(t))[2]
        for m, t, (of_m, of_t) in zip(mine, theirs, best, strict=True)
    ])  # fmt: skip


def bench(title: str, pairs: list[Pair], repeats: int, layer: int | None, device: str | None) -> None:
    """Print pairs per second of both ways, the ratio, and the share of time inside the model."""
    options = {} if layer is None else {"layer": layer}
    fresh = lambda: make_scorer("bertscore", None, make_resources(device, progress=False), options)  # noqa: E731
    embedder = fresh().embedder
    with_engine(pairs[:16], fresh())  # load and warm up
    seconds: dict[str, list[float]] = {"engine": [], "plain": []}
    inside: dict[str, list[float]] = {"engine": [], "plain": []}
    scores = {}
    for _ in range(repeats):
        for way in ("engine", "plain"):
            embedder.loop.forward_seconds = 0.0
            started = time.perf_counter()
            scores[way] = with_engine(pairs, fresh()) if way == "engine" else plain(pairs, embedder)
            seconds[way].append(time.perf_counter() - started)
            inside[way].append(embedder.loop.forward_seconds / seconds[way][-1])
    worst = float(np.abs(scores["engine"] - scores["plain"]).max())
    if worst > 1e-4:
        raise SystemExit(f"the scores of the two ways differ by {worst}, so their speeds cannot be compared")
    texts = {t for p in pairs for t in (p.prediction, p.reference)}
    ratios = [p / e for p, e in zip(seconds["plain"], seconds["engine"], strict=True)]
    print(f"{title}: {len(pairs)} pairs, {2 * len(pairs)} reports, {len(texts)} distinct, {embedder.model_name},"
          f" layer {embedder.layer}, {embedder.loop.device}")  # fmt: skip
    for way in ("plain", "engine"):
        print(f"  {way:7} {len(pairs) / np.median(seconds[way]):8.1f} pairs/s   "
              f"{100 * np.median(inside[way]):5.1f} % of the time inside the model")  # fmt: skip
    print(f"  ratio   {np.median(ratios):8.2f}x (median of {repeats}, {min(ratios):.2f} to {max(ratios):.2f});"
          f" largest score difference {worst:.1e}")  # fmt: skip


def main() -> None:
    """Run the benchmark on invented pairs and, with --data, on real ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=590, help="size of the invented corpus (default: 590)")
    parser.add_argument("--distinct", type=int, default=25, help="distinct predictions in it (default: 25)")
    parser.add_argument("--repeats", type=int, default=3, help="alternating repeats (default: 3)")
    parser.add_argument("--layer", type=int, help="layer of the embedded encoder (default: the metric's)")
    parser.add_argument("--device", help="cuda, mps or cpu (default: the best available)")
    parser.add_argument("--data", type=Path, help="also measure on this file of pairs")
    args = parser.parse_args()
    bench("invented corpus", repeating_corpus(args.pairs, args.distinct), args.repeats, args.layer, args.device)
    if args.data:
        bench(f"real output ({args.data.name})", list(open_pairs(args.data)), args.repeats, args.layer, args.device)


if __name__ == "__main__":
    main()
