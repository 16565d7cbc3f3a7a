"""Improve a prompt with GEPA: our errors are the feedback that the reflecting model reads.

Usage: python examples/harnesses/dspy_example.py

Both models are scripted, so nothing is downloaded or asked. With real ones, write dspy.LM("openai/…") instead.
"""

import json
from pathlib import Path

import dspy
from dspy.utils import DummyLM

from radeval_core.adapters.dspy import report_metric

REPORTS = Path(__file__).parent / "reports" / "test.jsonl"
TEMPLATE = "No acute cardiopulmonary abnormality."
BETTER = "Name every abnormal finding with its side and size, and nothing that is normal."


class Writer(DummyLM):
    """Follows the prompt that GEPA should find; before that, it answers with a template."""

    def __init__(self, impressions: dict[str, str]) -> None:
        super().__init__([])
        self.impressions = impressions

    def forward(self, prompt=None, messages=None, **kwargs):
        """Answer with the impression of the case if the prompt is the better one."""
        asked = "\n".join(message["content"] for message in messages)
        case = messages[-1]["content"]
        found = next(text for findings, text in self.impressions.items() if findings in case)
        self.answers = iter([{"impression": found if BETTER in asked else TEMPLATE}])
        return super().forward(prompt=prompt, messages=messages, **kwargs)


class Reflector(DummyLM):
    """Proposes the better prompt, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__([], adapter=dspy.JSONAdapter())  # GEPA reads its answers as JSON
        self.asked: list[str] = []

    def forward(self, prompt=None, messages=None, **kwargs):
        """Answer with the better prompt."""
        self.asked.append(prompt or "\n".join(message["content"] for message in messages))
        self.answers = iter([{"new_instruction": BETTER}])
        return super().forward(prompt=prompt, messages=messages, **kwargs)


def main() -> tuple[float, float, list[str]]:
    """Score the program, improve it, score it again; return both scores and what the reflecting model read."""
    rows = [json.loads(line) for line in REPORTS.read_text("utf-8").splitlines()]
    cases = [dspy.Example(findings=r["findings"], impression=r["impression"]).with_inputs("findings") for r in rows]
    dspy.configure(lm=Writer({row["findings"]: row["impression"] for row in rows}))
    metric = report_metric("green", prediction="impression", reference="impression")
    evaluate = dspy.Evaluate(devset=cases, metric=metric, display_progress=False)
    program = dspy.Predict("findings -> impression")
    before = evaluate(program).score
    reflector = Reflector()
    gepa = dspy.GEPA(metric=metric, max_metric_calls=24, reflection_lm=reflector, reflection_minibatch_size=3, seed=0)
    after = evaluate(gepa.compile(program, trainset=cases, valset=cases)).score
    print(f"before {before:.1f}, after {after:.1f}")
    return before, after, reflector.asked


if __name__ == "__main__":
    main()
