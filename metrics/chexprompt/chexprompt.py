"""CheXprompt for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Chexprompt(ReportMetric):
    """CheXprompt: clinically significant errors of six types, counted by a language model or our comparison.

    The headline is the mean number of significant errors per pair; lower is better. `total` counts insignificant ones
    too. `detailed=True` adds the errors of each type; without a model also where they are.

    Examples:
        >>> import evaluate
        >>> chexprompt = evaluate.load("radeval/chexprompt")
        >>> result = chexprompt.compute(
        ...     predictions=["Large right pleural effusion. Heart size is normal."],
        ...     references=["Large left pleural effusion. The heart is normal in size. Mild spondylosis."],
        ... )
        >>> result["chexprompt"], result["total"]
        (1.0, 2.0)
    """

    metric = "chexprompt"
