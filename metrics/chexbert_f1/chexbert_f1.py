"""CheXbert F1 and vector similarity for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class ChexbertF1(ReportMetric):
    """CheXbert F1: do two chest reports name the same of 14 conditions, and how similar are their CheXbert vectors?

    The headline is micro F1 over the 14 conditions. Configs: "embedded" (labels from the findings parser, no download,
    the default), "chexbert" (the published model), or a Hub id or folder with chexbert.pth. `detailed=True` adds what
    each report says about each condition.

    Examples:
        >>> import evaluate
        >>> chexbert_f1 = evaluate.load("radeval/chexbert_f1")
        >>> result = chexbert_f1.compute(
        ...     predictions=["Mild cardiomegaly. No pleural effusion.", "Small left pneumothorax."],
        ...     references=["Enlarged heart with a small pleural effusion.", "No pneumothorax."],
        ... )
        >>> round(result["chexbert_f1"], 4), [round(s, 4) for s in result["scores"]]
        (0.4, [0.6667, 0.0])
        >>> [round(s, 4) for s in result["similarity_scores"]]
        [0.5, 0.0]
    """

    metric = "chexbert_f1"
