"""CheXbert F1 and vector similarity for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core


class ChexbertF1(ReportMetric):
    """CheXbert F1: do two chest reports name the same of 14 conditions? And how near are their CheXbert vectors?

    The headline is micro F1 over the 14 conditions. Configs: "embedded" (labels from the findings parser, no download,
    the default), "chexbert" (the published model), or a Hub id or folder with chexbert.pth.

    Options of compute:
        detailed: also return what each report says of each condition.
        checkpoint: Hub id or folder with chexbert.pth, in place of the config.
        uncertain: count an uncertain condition as "positive" (default) or "negative".
        dtype: "fp32" (default), "bf16" or "fp16".
        device, batch_tokens, cache: where and how to run.

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

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        checkpoint=None,
        uncertain="positive",
        dtype="fp32",
        device=None,
        batch_tokens=None,
        cache=None,
    ):
        return self.score_lists(
            predictions,
            references,
            detailed,
            checkpoint=checkpoint,
            uncertain=uncertain,
            dtype=dtype,
            device=device,
            batch_tokens=batch_tokens,
            cache=cache,
        )
