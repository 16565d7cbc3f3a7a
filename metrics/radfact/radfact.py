"""RadFact for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Radfact(ReportMetric):
    """RadFact: which phrases of each report the other report entails.

    The headline is the F1 of mean precision (phrases of the predictions) and mean recall (phrases of the references).
    With `boxes`, grounding and spatial precision, recall and F1 tell whether phrases are also in their place.
    `detailed=True` adds every phrase with its verdict and its evidence.

    Examples:
        >>> import evaluate
        >>> radfact = evaluate.load("radeval/radfact")
        >>> result = radfact.compute(
        ...     predictions=["Left pleural effusion. Heart size is normal. No pneumothorax."],
        ...     references=["Small left pleural effusion. Heart size is normal."],
        ... )
        >>> round(result["logical_precision"], 4), result["logical_recall"], round(result["radfact"], 4)
        (0.6667, 0.5, 0.5714)
    """

    metric = "radfact"
