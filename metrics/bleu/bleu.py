"""BLEU for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core


class Bleu(ReportMetric):
    """BLEU: how many word sequences of a report also occur in its reference, with a penalty for short reports.

    The headline is corpus BLEU-4 of sacrebleu on a scale of 0 to 1; the result also has bleu_1 to bleu_4 and RadCliQ's
    BLEU-2. `detailed=True` adds the matched and possible n-grams of each pair.

    Examples:
        >>> import evaluate
        >>> bleu = evaluate.load("radeval/bleu")
        >>> result = bleu.compute(
        ...     predictions=["No pleural effusion or pneumothorax. Heart size is normal."],
        ...     references=["No pleural effusion or pneumothorax. The heart is normal in size."],
        ... )
        >>> round(result["bleu"], 4), round(result["bleu_1"], 4), round(result["bleu_2_radcliq"], 4)
        (0.4578, 0.758, 0.6458)
    """

    metric = "bleu"
