"""GREEN for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Green(ReportMetric):
    """GREEN: what is wrong in a generated report, in six categories, and how much is right.

    The headline is the mean of matched findings / (matched findings + clinically significant errors). Each pair is
    analysed by our comparison of findings (default), a published GREEN checkpoint, or any model behind an API. Further
    values: `error_count`, and by default `weighted`, a variant with clinical weights that ranks candidates better.
    `detailed=True` adds the explanation, every error and every matched finding of each pair.

    Examples:
        >>> import evaluate
        >>> green = evaluate.load("radeval/green")
        >>> result = green.compute(
        ...     predictions=["Mild pulmonary edema.", "Severe pulmonary edema."],
        ...     references=["Mild pulmonary edema.", "Mild pulmonary edema."],
        ... )
        >>> [round(score, 1) for score in result["scores"]], result["error_count_scores"]
        ([1.0, 0.5], [0.0, 1.0])
    """

    metric = "green"
