"""New metric for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class NewMetric(ReportMetric):
    """New metric: the share of words that a report and its reference have in common.

    The headline is the mean over pairs. With several references, the best one counts. `detailed=True` adds the common,
    added and missing words of each pair.

    Examples:
        >>> import evaluate
        >>> new_metric = evaluate.load("radeval/new_metric")
        >>> result = new_metric.compute(
        ...     predictions=["No pleural effusion or pneumothorax. Heart size is normal."],
        ...     references=["No pleural effusion or pneumothorax. The heart is normal in size."],
        ... )
        >>> round(result["new_metric"], 4)
        0.8333
    """

    metric = "new_metric"
