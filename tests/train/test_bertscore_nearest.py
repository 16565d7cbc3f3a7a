"""The nearest report by BERTScore."""

import pytest

from radeval_core.data.pairing import make_pairs
from radeval_core.errors import InputError

REPORTS = {
    "a": "Small left pleural effusion. The heart is normal in size. No pneumothorax.",
    "b": "Moderate right pleural effusion. The heart is normal in size. No pneumothorax.",
    "c": "Severe cardiomegaly. Mild pulmonary edema. No focal consolidation.",
    "d": "Left lower lobe consolidation. No pleural effusion. No pneumothorax. Heart is enlarged.",
    "e": "Small left apical pneumothorax. The heart is enlarged. Mild edema.",
}


@pytest.mark.slow
def test_the_nearest_report_has_the_highest_bertscore(tiny_encoder):
    from radeval_core.api import load
    from radeval_core.train.bertscore_nearest import bertscore_nearest

    metric = load("bertscore", config=str(tiny_encoder))
    names = list(REPORTS)
    for name, pair in zip(
        names,
        make_pairs(REPORTS, "nearest", find_nearest=bertscore_nearest(str(tiny_encoder), candidates=0)),
        strict=True,
    ):
        others = [other for other in names if other != name]
        scores = metric.compute([REPORTS[other] for other in others], [REPORTS[name]] * 4)["scores"]
        assert pair.origin == others[scores.index(max(scores))]
    # with one candidate, TF-IDF alone decides
    first = make_pairs(REPORTS, "nearest", find_nearest=bertscore_nearest(str(tiny_encoder), candidates=1))
    assert first == make_pairs(REPORTS, "nearest")


def test_the_number_of_candidates_is_checked():
    from radeval_core.train.bertscore_nearest import bertscore_nearest

    with pytest.raises(InputError, match="--candidates must be 0 or more, got -1"):
        bertscore_nearest(candidates=-1)
