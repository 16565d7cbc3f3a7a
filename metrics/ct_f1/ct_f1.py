"""F1 of the 18 CT-RATE abnormalities for chest CT reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class CtF1(ReportMetric):
    """CT F1: do two chest CT reports state the same of CT-RATE's 18 abnormalities?

    The headline is micro F1 over the 18 labels; `macro_f1`, `crg` and the F1 of each label are in the result. Configs:
    "embedded" (labels from the findings parser, no download, the default), "radbert-ct" (the published text
    classifier), or a Hub id or folder. `detailed=True` adds the labels of each report and where it states them.

    Examples:
        >>> import evaluate
        >>> ct_f1 = evaluate.load("radeval/ct_f1")
        >>> result = ct_f1.compute(
        ...     predictions=["Emphysema in both lungs. No nodule.", "Mediastinal lymph nodes up to 8 mm."],
        ...     references=["Emphysema and a 4 mm nodule.", "No pathological lymph node was observed."],
        ... )
        >>> round(result["ct_f1"], 4), [round(s, 4) for s in result["scores"]]
        (0.5, [0.6667, 0.0])
        >>> round(result["crg"], 4), result["label_errors_scores"]
        (0.4857, [1.0, 1.0])
    """

    metric = "ct_f1"
