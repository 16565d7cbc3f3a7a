"""METEOR for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Meteor(ReportMetric):
    """METEOR 1.5: share of aligned words, recall before precision, with a penalty for matches in many pieces.

    The headline is METEOR's corpus score, from summed counts; `mean` is the mean over pairs. With several references,
    the best one counts. `detailed=True` adds the counts of each pair.

    Examples:
        >>> import evaluate
        >>> meteor = evaluate.load("radeval/meteor")
        >>> result = meteor.compute(
        ...     predictions=["No pleural effusion or pneumothorax. Heart size is normal."],
        ...     references=["No pleural effusion or pneumothorax. The heart is normal in size."],
        ... )
        >>> round(result["meteor"], 4)
        0.454
    """

    metric = "meteor"
