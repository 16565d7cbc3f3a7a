"""RadGraph F1 for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core


class RadgraphF1(ReportMetric):
    """RadGraph F1: do two reports state the same entities (words with a label) and the same relations between them?

    The headline is the mean of the partial F1: words, label, and whether an entity has a relation. Configs: "embedded"
    (our findings parser, no download, the default), "radgraph" (as in RadCliQ), "radgraph-xl", "modern-radgraph-xl",
    "echograph", or a Hub id or folder with an archive in the published layout.

    Options of compute:
        detailed: also return both graphs and what they have in common at each level.
        checkpoint: Hub id or folder of a model, in place of the config.
        lowercase: compare words in lower case (default: yes; no for the numbers of radgraph 0.1.18).
        device, batch_tokens, cache: where and how to run.

    Examples:
        >>> import evaluate
        >>> radgraph_f1 = evaluate.load("radeval/radgraph_f1")
        >>> result = radgraph_f1.compute(
        ...     predictions=["No pleural effusion. Small left pneumothorax.", ""],
        ...     references=["No pleural effusion. Large left pneumothorax.", "Normal chest."],
        ... )
        >>> [round(s, 2) for s in result["scores"]]
        [0.8, 0.0]
    """

    metric = "radgraph_f1"

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        checkpoint=None,
        lowercase=True,
        device=None,
        batch_tokens=None,
        cache=None,
    ):
        return self.score_lists(
            predictions,
            references,
            detailed,
            checkpoint=checkpoint,
            lowercase=lowercase,
            device=device,
            batch_tokens=batch_tokens,
            cache=cache,
        )
