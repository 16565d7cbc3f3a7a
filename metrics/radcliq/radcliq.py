"""RadCliQ for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core[models]


class Radcliq(ReportMetric):
    """RadCliQ: RadGraph F1, BERTScore, CheXbert similarity and BLEU-2 in one number fitted to radiologists' errors.

    The headline is the mean of RadCliQ-v1; lower is better. Configs: "embedded" (its parts need no download, the
    default), "paper" (the published models).

    Options of compute:
        detailed: also return the parts of each pair and what each adds to the score.
        radgraph, bertscore, chexbert: config, Hub id or folder of a part, in place of the one of the config.
        weights: "v1" (default), "v0", or a file that `radeval fit radcliq` wrote: what the headline is computed with.
        idf: weigh the tokens of BERTScore by how rare they are among the references (default: no).
        device, batch_tokens, cache: where and how to run.

    Examples:
        >>> import evaluate
        >>> radcliq = evaluate.load("radeval/radcliq")
        >>> result = radcliq.compute(
        ...     predictions=["Mild cardiomegaly. No pleural effusion.", "Small left pneumothorax."],
        ...     references=["Mild cardiomegaly without pleural effusion.", "The lungs are clear. No pneumothorax."],
        ... )
        >>> [round(s, 1) for s in result["scores"]]
        [-1.3, 1.7]
    """

    metric = "radcliq"

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        radgraph=None,
        bertscore=None,
        chexbert=None,
        idf=False,
        weights="v1",
        device=None,
        batch_tokens=None,
        cache=None,
    ):
        return self.score_lists(
            predictions,
            references,
            detailed,
            radgraph=radgraph,
            bertscore=bertscore,
            chexbert=chexbert,
            idf=idf,
            weights=weights,
            device=device,
            batch_tokens=batch_tokens,
            cache=cache,
        )
