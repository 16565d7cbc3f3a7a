"""RadGraph F1 for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class RadgraphF1(ReportMetric):
    """RadGraph F1: do two reports state the same entities (words with a label) and the same relations between them?

    The headline is the mean of the partial F1: words, label, and whether an entity has a relation. Configs: "embedded"
    (our findings parser, no download, the default), "radgraph" (as in RadCliQ), "radgraph-xl", "modern-radgraph-xl",
    "echograph", or a Hub id or folder with an archive in the published layout. `detailed=True` adds both graphs and
    what they have in common at each level.

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
