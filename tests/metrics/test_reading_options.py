"""Options that choose whose habits the embedded readings follow."""

import pytest

from radeval_core import load
from radeval_core.errors import InputError

PREDICTION = "Calcified granuloma in the right base. Heart size and mediastinal contours are within normal limits."
REFERENCE = "Surgical clips in the left axilla. Heart size is within normal limits."


def compute(metric: str, **options):
    return load(metric, **options).compute(predictions=[PREDICTION], references=[REFERENCE], detailed=True)


def labels(result, side: str) -> set[str]:
    return {name for name, said in result["details"][0][side]["labels"].items() if said == "positive"}


def test_chexbert_finds_nothing_among_the_14_conditions_where_a_coder_does():
    as_chexbert, as_human = compute("chexbert_f1"), compute("chexbert_f1", labels="human")
    assert labels(as_chexbert, "prediction") == labels(as_chexbert, "reference") == set()
    assert labels(as_human, "prediction") == {"Lung Lesion"}
    assert labels(as_human, "reference") == {"Support Devices", "No Finding"}
    assert "|labels:chexbert|" in as_chexbert["signature"] and "|labels:human|" in as_human["signature"]


def test_an_empty_report_does_not_agree_with_an_abnormal_one_without_labels():
    result = load("chexbert_f1").compute(predictions=["", ""], references=["Degenerative changes of the spine.", ""])
    assert result["scores"] == result["similarity_scores"] == [0.0, 1.0]


def test_levels_follow_radgraph_xl_and_combined_follows_radgraph():
    published, first, xl = (
        compute("radgraph_f1", habits=habits) for habits in ("published", "radgraph", "radgraph-xl")
    )
    for level in ("simple", "partial", "complete"):
        assert published[level] == xl[level] != first[level]
    assert published["combined"] == first["combined"] != xl["combined"]
    assert published["details"][0]["prediction"] == xl["details"][0]["prediction"]
    assert compute("radgraph_f1")["signature"] == published["signature"]
    assert "|habits:published|" in published["signature"]


def test_unknown_habits_are_refused():
    with pytest.raises(InputError, match=r"option radgraph_f1\.habits must be one of published, radgraph, radgraph-xl"):
        compute("radgraph_f1", habits="xl")
