"""RadCliQ for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core[models]


class Radcliq(ReportMetric):
    """RadCliQ: RadGraph F1, BERTScore, CheXbert similarity and BLEU-2 in one number fitted to radiologists' errors.

    The headline is the mean of RadCliQ-v1; lower is better. Configs: "embedded" (its parts need no download, the
    default), "paper" (the published models). `detailed=True` adds the parts of each pair and what each contributes to
    the score.

    Examples:
        >>> import evaluate
        >>> radcliq = evaluate.load("radeval/radcliq")
        >>> result = radcliq.compute(
        ...     predictions=["Mild cardiomegaly. No pleural effusion.", "Small left pneumothorax."],
        ...     references=["Mild cardiomegaly without pleural effusion.", "The lungs are clear. No pneumothorax."],
        ... )
        >>> [round(s, 1) for s in result["scores"]]
        [-1.3, 1.7]
    """

    metric = "radcliq"
