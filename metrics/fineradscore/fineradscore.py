"""FineRadScore for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Fineradscore(ReportMetric):
    """FineRadScore: which lines of a report must be deleted, rewritten or inserted, and how severe each error is.

    The headline is the mean over reports of the sum of severities, 1 (not actionable) to 4 (emergent) per correction;
    lower is better. Config "embedded" compares what our parser reads in both reports; any language model can judge
    instead, e.g. `evaluate.load("radeval/fineradscore", "http:gpt-4o")`. `detailed=True` adds the corrections of each
    report and the report with them applied (`corrected`).

    Examples:
        >>> import evaluate
        >>> fineradscore = evaluate.load("radeval/fineradscore")
        >>> result = fineradscore.compute(
        ...     predictions=["Small right pleural effusion. Normal heart size.", "The heart is normal. Clear lungs."],
        ...     references=["Small left pleural effusion. Heart size is normal.", "Clear lungs. Normal heart."],
        ... )
        >>> result["scores"], result["fineradscore"], result["wrong_location"]
        ([3.0, 0.0], 1.5, 0.5)
    """

    metric = "fineradscore"
