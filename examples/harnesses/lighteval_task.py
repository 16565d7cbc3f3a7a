"""A task for lighteval: write the impression of a report from its findings.

Usage: lighteval custom first-sentence examples/harnesses/lighteval_model.py "radiology_impression|0" \
           --custom-tasks examples/harnesses/lighteval_task.py
"""

from pathlib import Path

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from radeval_core.adapters.lighteval import report_metric, report_metrics


def prompt(row: dict, task_name: str = "") -> Doc:
    """Return a row of the dataset as lighteval's doc."""
    query = f"Write the impression of this report.\nFindings: {row['findings']}\nImpression:"
    return Doc(task_name=task_name, id=row["id"], query=query, choices=[row["impression"]], gold_index=0)


TASKS_TABLE = [
    LightevalTaskConfig(
        name="radiology_impression",
        prompt_function=prompt,
        hf_repo=str(Path(__file__).parent / "reports"),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        # a group reads each report once for all its metrics; a single metric works, too
        metrics=[report_metrics(["radgraph_f1", "green", "green.error_count"]), report_metric("rouge")],
        generation_size=64,
        stop_sequence=["\n"],
    )
]
