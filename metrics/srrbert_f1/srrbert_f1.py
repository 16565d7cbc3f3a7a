"""SRR-BERT F1 for chest reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class SrrbertF1(ReportMetric):
    """SRR-BERT F1: do two chest reports state the same findings as present, uncertain or absent?

    The headline is F1 over the corpus, weighted by how often references have each label. Configs: "embedded" (groups of
    findings from the findings parser, no download, the default), "leaves-with-statuses" (the published model that
    RadEval runs), "leaves", "upper-with-statuses", "upper", or a Hub id or folder. `detailed=True` adds the labels of
    both reports and what they were read from.

    Examples:
        >>> import evaluate
        >>> srrbert_f1 = evaluate.load("radeval/srrbert_f1")
        >>> result = srrbert_f1.compute(
        ...     predictions=["Mild cardiomegaly. No pleural effusion.", "Small left pneumothorax. Lungs are clear."],
        ...     references=["Enlarged heart with a small pleural effusion.", "No pneumothorax. Lungs are clear."],
        ... )
        >>> round(result["srrbert_f1"], 4), [round(s, 4) for s in result["scores"]]
        (0.5, [0.3333, 0.3333])
    """

    metric = "srrbert_f1"
