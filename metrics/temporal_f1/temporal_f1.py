"""Temporal F1 for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class TemporalF1(ReportMetric):
    """Temporal F1: agreement of two reports on change since the prior study.

    The headline is the mean F1 of the sets of change words (RadEval's `temporal`). `aligned` compares the change of
    each finding. With several references, their words are joined; for `aligned`, the best reference counts.
    `detailed=True` adds the words and each change with its counterpart.

    Examples:
        >>> import evaluate
        >>> temporal_f1 = evaluate.load("radeval/temporal_f1")
        >>> result = temporal_f1.compute(
        ...     predictions=["New left pleural effusion. The edema has resolved."],
        ...     references=["The left pleural effusion has resolved. New edema."],
        ... )
        >>> result["temporal_f1"], result["aligned"]
        (1.0, 0.0)
    """

    metric = "temporal_f1"
