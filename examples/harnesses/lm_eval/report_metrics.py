"""The functions that radiology_impression.yaml names."""

from radeval_core.adapters.lm_eval import ReportTask, unscored

__all__ = ["green", "green_error_count", "process_results", "radgraph_f1", "unscored"]

task = ReportTask(["radgraph_f1", "green", "green.error_count"], reference="impression")
process_results = task.process_results
radgraph_f1 = task.aggregation("radgraph_f1")
green = task.aggregation("green")
green_error_count = task.aggregation("green.error_count")
