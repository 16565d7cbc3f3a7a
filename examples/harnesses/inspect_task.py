"""A task for inspect_ai: write the impression of a report from its findings.

Usage: inspect eval examples/harnesses/inspect_task.py --model mockllm/model

With a real model, replace the solver by `generate()`.
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from radeval_core.adapters.inspect_ai import report_scorer


@solver
def first_sentence() -> Solver:
    """Answer with the first sentence of the findings."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("first-sentence", state.input_text.split(". ")[0] + ".")
        return state

    return solve


@task
def radiology_impression() -> Task:
    """Return the task."""
    reports = str(Path(__file__).parent / "reports" / "test.jsonl")
    return Task(
        dataset=json_dataset(reports, FieldSpec(input="findings", target="impression", id="id")),
        solver=first_sentence(),
        scorer=[report_scorer("radgraph_f1"), report_scorer("green"), report_scorer("green.error_count")],
    )
