"""ROUGE for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Rouge(ReportMetric):
    """ROUGE: overlap of words (rouge1), word pairs (rouge2) and the longest common word sequence (rougeL), as F1.

    The headline is the mean of rougeL. With several references, the best one counts. `detailed=True` adds precision
    and recall of each pair.

    Examples:
        >>> import evaluate
        >>> rouge = evaluate.load("radeval/rouge")
        >>> result = rouge.compute(
        ...     predictions=["No pleural effusion or pneumothorax. Heart size is normal."],
        ...     references=["No pleural effusion or pneumothorax. The heart is normal in size."],
        ... )
        >>> round(result["rouge"], 4), round(result["rouge2"], 4)
        (0.8, 0.5556)
    """

    metric = "rouge"
