"""CIDEr-D for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Cider(ReportMetric):
    """CIDEr-D: shared word sequences, weighted by how rare each is among the references, 0 to 10.

    Rarity is counted over the references given, so score a whole test set at once, or give a corpus. `detailed=True`
    adds the number of words of each report.

    Examples:
        >>> import evaluate
        >>> cider = evaluate.load("radeval/cider")
        >>> result = cider.compute(
        ...     predictions=["No pleural effusion or pneumothorax.", "Large left pneumothorax."],
        ...     references=["No pleural effusion. No pneumothorax.", "Large left pneumothorax with collapse."],
        ... )
        >>> round(result["cider"], 4), [round(s, 4) for s in result["scores"]]
        (4.4172, [4.1246, 4.7098])
    """

    metric = "cider"
