"""The agreement of the judges with radiologists, fold by fold."""

import sys
from pathlib import Path

import numpy as np
import pytest

TEXTS = [
    ("Left pleural effusion.", 5, 0),
    ("Left pleural effusion. Right lower lobe nodule.", 3, 1),
    ("Right pleural effusion. Right lower lobe nodule. Cardiomegaly.", 2, 3),
    ("No pleural effusion. Right pneumothorax. Cardiomegaly. Pulmonary edema.", 1, 4),
]


@pytest.fixture(scope="module", autouse=True)
def tool():
    sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
    import cross_validate_judges

    return cross_validate_judges


def rows():
    reference = "Left pleural effusion. No pneumothorax."
    return [
        {
            "study": study,
            "reference": reference,
            "prediction": text,
            "expert": {"rating": [rating] * 3, "errors": [errors] * 3},
        }
        for study in range(4)
        for text, rating, errors in TEXTS
    ]


def test_every_judge_has_mean_and_spread_over_the_folds(tool, monkeypatch):
    monkeypatch.setattr(tool, "GRID", {"on_topic": (0.5,), "halving": (8,)})
    result = tool.cross_validate(rows(), folds=2, shuffles=1)
    assert set(tool.JUDGES) < set(result)
    assert result["green.weighted"]["rating"] == pytest.approx((1.0, 0.0))
    assert result["green.error_count"]["errors"] == pytest.approx((1.0, 0.0))


def test_the_sums_by_level_give_the_scores_of_the_metric(tool):
    weighed = tool.Weighed([tool.compare(tool.parse(r["reference"]), tool.parse(r["prediction"])) for r in rows()])
    now = weighed.scores({"on_topic": tool.ON_TOPIC, "halving": tool.HALVING})
    scores = tool.load("green").compute([r["prediction"] for r in rows()], [r["reference"] for r in rows()])
    np.testing.assert_allclose(now, scores["weighted_scores"])
