"""FineRadScore for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core


class Fineradscore(ReportMetric):
    """FineRadScore: which lines of a report must be deleted, rewritten or inserted, and how severe each error is.

    The headline is the mean over reports of the sum of severities, 1 (not actionable) to 4 (emergent) a correction, so
    lower is better. Config `embedded` compares what our parser reads in both reports; any language model can judge
    instead, e.g. `evaluate.load("radeval/fineradscore", "http:gpt-4o")`.

    Options of compute:
        detailed: also return the corrections of each report, and the report with them applied (`corrected`).
        few_shot: show a model five examples, as the paper recommends.
        checkpoint: Hub id or folder of a model, or `http:MODEL`, `anthropic:MODEL`, `vllm:MODEL`.
        dtype, gguf_file: number format and file of a model on this machine.
        concurrency: how many questions a server is asked at once.
        device, batch_tokens: where a model runs, and tokens in a batch.
        cache: folder that keeps finished answers.

    Examples:
        >>> import evaluate
        >>> fineradscore = evaluate.load("radeval/fineradscore")
        >>> result = fineradscore.compute(
        ...     predictions=["Small right pleural effusion. Normal heart size.", "The heart is normal. Clear lungs."],
        ...     references=["Small left pleural effusion. Heart size is normal.", "Clear lungs. Normal heart."],
        ... )
        >>> result["scores"], result["fineradscore"], result["wrong_location"]
        ([3.0, 0.0], 1.5, 0.5)
    """

    metric = "fineradscore"

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        few_shot=True,
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
            few_shot=few_shot,
            checkpoint=checkpoint,
            dtype=dtype,
            concurrency=concurrency,
            gguf_file=gguf_file,
            device=device,
            batch_tokens=batch_tokens,
            cache=cache,
        )
