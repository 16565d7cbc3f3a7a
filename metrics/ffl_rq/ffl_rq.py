"""Fine-grained findings and their places (FFL, RQ) for radiology reports, as a Hugging Face `evaluate` module."""

from radeval_core.metric import ReportMetric  # From: radeval_core


class FflRq(ReportMetric):
    """RQ: do two chest reports state the same findings, with place, side and severity, and in the same boxes?

    The headline is the mean of RQ, which is the average of the F1 of finding patterns (FFL F1) and the overlap of their
    places on the film (MIOU). Our parser reads the findings; boxes come from a standard atlas, the user, or a detector.

    Options of compute:
        detailed: also return the patterns of both reports, which were matched, and their boxes.
        granularity: which F1 goes into RQ: "core" (finding and presence), "anatomy" (with place and side), "all" (with
            severity; the default).
        boxes: one dict a pair, region to [x1, y1, x2, y2]; "size": [width, height] may stand among the regions.
        images: one image a pair, path or PIL image, on which the checkpoint finds the regions.
        checkpoint: Hub id or folder of an object detector of Chest ImaGenome's regions.
        device: where the detector runs.

    Examples:
        >>> import evaluate
        >>> ffl_rq = evaluate.load("radeval/ffl_rq")
        >>> result = ffl_rq.compute(
        ...     predictions=["Small left pleural effusion. No pneumothorax.", "Large left pleural effusion."],
        ...     references=["Small left pleural effusion. No pneumothorax.", "Small left pleural effusion."],
        ... )
        >>> result["scores"], result["ffl_f1_core"], result["ffl_f1_all"], result["miou"]
        ([1.0, 0.5], 1.0, 0.5, 1.0)
    """

    metric = "ffl_rq"

    def _compute(
        self,
        predictions,
        references,
        detailed=False,
        granularity="all",
        boxes=None,
        images=None,
        checkpoint=None,
        device=None,
    ):
        return self.score_lists(
            predictions,
            references,
            detailed,
            granularity=granularity,
            boxes=boxes,
            images=images,
            checkpoint=checkpoint,
            device=device,
        )
