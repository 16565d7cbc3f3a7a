"""Fine-grained findings and their places (FFL, RQ) for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class FflRq(ReportMetric):
    """RQ: do two chest reports state the same findings, with place, side and severity, and in the same boxes?

    The headline is the mean of RQ, which is the average of the F1 of finding patterns (FFL F1) and the overlap of their
    places on the film (MIOU). Our parser reads the findings; boxes come from a standard atlas, the user, or a detector.
    `detailed=True` adds the patterns of both reports, which of them match, and their boxes.

    Examples:
        >>> import evaluate
        >>> ffl_rq = evaluate.load("radeval/ffl_rq")
        >>> result = ffl_rq.compute(
        ...     predictions=["Small left pleural effusion. No pneumothorax.", "Large left pleural effusion."],
        ...     references=["Small left pleural effusion. No pneumothorax.", "Small left pleural effusion."],
        ... )
        >>> result["scores"], result["ffl_f1_core"], result["ffl_f1_all"], result["miou"]
        ([1.0, 0.5], 1.0, 0.5, 1.0)
    """

    metric = "ffl_rq"
