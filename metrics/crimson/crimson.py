"""CRIMSON for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Crimson(ReportMetric):
    """CRIMSON: correct findings against errors, each weighted by its clinical significance for this patient.

    The headline is the mean over reports, above -1 and at most 1; 0 is a report that finds nothing and invents nothing,
    below 0 the false findings outweigh the correct ones. Config "embedded" compares what our parser reads in both
    reports and adjusts the significance of findings to `contexts` (age, sex, indication, history) with a table of
    rules; "medgemma-4b" runs the authors' model, and any language model can judge instead, e.g.
    `evaluate.load("radeval/crimson", "http:gpt-4o")`. `detailed=True` adds the findings, their weights and the errors.

    Examples:
        >>> import evaluate
        >>> crimson = evaluate.load("radeval/crimson")
        >>> result = crimson.compute(
        ...     predictions=["Large right pneumothorax. Normal heart size.", "The heart is normal. Clear lungs."],
        ...     references=["Large right pneumothorax. Moderate cardiomegaly.", "Clear lungs. Normal heart."],
        ... )
        >>> result["scores"], result["missing_weight"]
        ([0.6667, 1.0], 0.25)
    """

    metric = "crimson"
