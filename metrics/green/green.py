"""GREEN for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core


class Green(ReportMetric):
    """GREEN: what is wrong in a generated report, in six categories, and how much is right.

    The headline is the mean of matched findings / (matched findings + clinically significant errors). Each pair is
    analysed by our comparison of findings (default), a published GREEN checkpoint, or any model behind an API.

    Options of compute:
        detailed: also return the explanation, every error and every matched finding of each pair.
        summary: also return the GREEN summary: how often each error occurs, and its most representative sentences.
        plot: file name (.png) for a map of the errors.
        encoder: sentence-transformers model for summary and plot, Hub id or folder; MiniLM by default.
        checkpoint: Hub id or folder of a causal language model, or `http:MODEL`, `anthropic:MODEL`, `vllm:MODEL`.
        dtype: number format of such a model on this machine: "fp32", "bf16" or "fp16".
        concurrency: questions at once to a model behind an API.
        gguf_file: which GGUF file of the folder or repository to load.
        device: where models run.
        batch_tokens: tokens in a batch.
        cache: folder in which answers are kept, sealed; a run that was stopped goes on from there.

    Examples:
        >>> import evaluate
        >>> green = evaluate.load("radeval/green")
        >>> result = green.compute(
        ...     predictions=["Mild pulmonary edema.", "Severe pulmonary edema."],
        ...     references=["Mild pulmonary edema.", "Mild pulmonary edema."],
        ... )
        >>> [round(score, 1) for score in result["scores"]], result["error_count_scores"]
        ([1.0, 0.6], [0.0, 1.0])
    """

    metric = "green"

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        summary=False,
        plot=None,
        encoder=None,
        checkpoint=None,
        dtype=None,
        concurrency=None,
        gguf_file=None,
        device=None,
        batch_tokens=None,
        cache=None,
    ):
        return self.score_lists(
            predictions,
            references,
            detailed,
            summary=summary,
            plot=plot,
            encoder=encoder,
            checkpoint=checkpoint,
            dtype=dtype,
            concurrency=concurrency,
            gguf_file=gguf_file,
            device=device,
            batch_tokens=batch_tokens,
            cache=cache,
        )
