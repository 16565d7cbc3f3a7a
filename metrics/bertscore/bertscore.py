"""BERTScore for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core[models]


class Bertscore(ReportMetric):
    """BERTScore: match every token of a report with its most similar token in the reference, and the reverse.

    The headline is the mean F1. Configs: "embedded" (a small encoder from a PyPI wheel, no download, the default),
    "distilroberta-base" (layer 5, rescaled, as RadCliQ uses it), "roberta-large" (layer 17), "radeval-modernbert"
    (layer 22, as RadEval uses it), or any Hub id or folder.
    `detailed=True` adds the tokens of each report with the similarity of their best match.

    Examples:
        >>> import evaluate
        >>> bertscore = evaluate.load("radeval/bertscore")
        >>> result = bertscore.compute(
        ...     predictions=["No pleural effusion or pneumothorax.", ""],
        ...     references=["Neither pneumothorax nor effusion is seen.", "Normal chest."],
        ... )
        >>> [round(s, 2) for s in result["scores"]]
        [0.82, 0.0]
    """

    metric = "bertscore"
