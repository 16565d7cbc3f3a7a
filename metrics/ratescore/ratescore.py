"""RaTEScore for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.evaluate_module import ReportMetric  # From: radeval_core[models]


class Ratescore(ReportMetric):
    """RaTEScore: match every entity of a report with the entity of the other report that has the most similar name.

    The headline is the mean over pairs of the harmonic mean of both directions. Entities are places, abnormalities and
    diseases, present or absent; a match counts by its two types, and less if one is present and the other absent.
    Configs: "embedded" (our findings parser and a small encoder from a PyPI wheel, no download, the default),
    "rate-ner-deberta" (the published models), or a Hub id, or a folder with the folders ner and encoder.
    `detailed=True` adds the entities of both reports with their types, best matches and similarities.

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
