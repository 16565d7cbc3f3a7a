"""CIDEr-D for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core


class Cider(ReportMetric):
    """CIDEr-D: agreement in word sequences, weighted by how rare each is among the references, 0 to 10.

    Rarity is counted over the references given, so score a whole test set at once, or give a corpus.

    Options of compute:
        detailed: also return the number of words of each report.
        corpus: list of reports to count document frequencies in (default: the references).

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

    def _compute(self, predictions, references, detailed=False, corpus=None):
        return self.score_lists(predictions, references, detailed, corpus=corpus)
