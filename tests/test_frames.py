"""`score` takes a DataFrame or a Dataset, and gives a DataFrame back."""

import subprocess
import sys

import numpy as np
import pytest

from radeval_core import score
from radeval_core.errors import InputError
from radeval_core.metrics.base import PairScores
from radeval_core.metrics.rouge import RougeScorer

COLUMNS = {
    "prediction": ["Small left effusion.", "Clear lungs.", "Normal."],
    "reference": ["Small left pleural effusion.", "The lungs are clear.", "Normal."],
}
STUDY = {"generated_report": COLUMNS["prediction"], "ground_truth": COLUMNS["reference"], "study_id": ["a", "b", "c"]}
NAMED = {"prediction_column": "generated_report", "reference_column": "ground_truth", "id_column": "study_id"}
EXPECTED = [6 / 7, 1 / 3, 1.0]


@pytest.fixture(scope="module")
def pd():
    import pandas

    return pandas


@pytest.fixture(scope="module")
def datasets():
    import datasets

    return datasets


def test_a_frame_with_our_columns(pd):
    scores = score(pd.DataFrame(COLUMNS), ["rouge"])
    assert scores.ids == [0, 1, 2]
    np.testing.assert_allclose(scores.results["rouge"].scores, EXPECTED)


def test_a_frame_with_other_columns(pd):
    assert score(pd.DataFrame(STUDY), ["rouge", "cider"], **NAMED).ids == ["a", "b", "c"]
    upper = pd.DataFrame({name.upper(): column for name, column in COLUMNS.items()})
    assert score(upper, ["rouge"]).ids == [0, 1, 2]


def test_the_index_gives_ids_that_can_be_joined(pd):
    frame = pd.DataFrame(COLUMNS, index=["x", "y", "z"])
    found = score(frame[frame.prediction != "Clear lungs."], ["rouge"]).to_pandas()
    assert found.id.tolist() == ["x", "z"]
    assert frame.join(found.set_index("id")).rouge.isna().tolist() == [False, True, False]
    assert score(frame[[True, False, True]].reset_index(drop=True), ["rouge"]).ids == [0, 1]
    assert score(pd.DataFrame(COLUMNS, index=["x", "x", "y"]), ["rouge"]).ids == [0, 1, 2]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_report_is_an_empty_one(pd, missing):
    frame = pd.DataFrame({**COLUMNS, "prediction": [missing, "", "Normal."]})
    assert score(frame, ["rouge"]).results["rouge"].scores.tolist() == [0, 0, 1]
    assert score(frame.astype("string"), ["rouge"]).results["rouge"].scores.tolist() == [0, 0, 1]


def test_whole_numbers_with_a_gap_are_ids(pd):
    frame = pd.DataFrame({**COLUMNS, "id": [7, None, 9]})
    assert score(frame, ["rouge"]).ids == [7, 1, 9]


def test_several_references(pd):
    frame = pd.DataFrame({"prediction": ["Normal."], "reference": [np.array(["Clear.", "Normal."], dtype=object)]})
    assert score(frame, ["rouge"]).results["rouge"].score == 1


def test_a_missing_column_names_the_argument(pd):
    with pytest.raises(InputError) as error:
        score(pd.DataFrame(STUDY), ["rouge"])
    assert str(error.value) == (
        "pairs: the DataFrame: columns 'prediction', 'reference' are missing; "
        "found 'generated_report', 'ground_truth', 'study_id'; "
        "try prediction_column='generated_report', reference_column='ground_truth'"
    )
    with pytest.raises(InputError, match="are for a DataFrame or a Dataset"):
        score([("a", "b")], ["rouge"], prediction_column="x")
    with pytest.raises(InputError, match=r"pairs\[1\]: column 'prediction' must be a string, got int"):
        score(pd.DataFrame({"prediction": ["a", 1], "reference": ["a", "b"]}), ["rouge"])


def test_a_dataset(datasets):
    assert score(datasets.Dataset.from_dict(COLUMNS), ["rouge", "cider"]).ids == [0, 1, 2]
    named = datasets.Dataset.from_dict(STUDY)
    assert score(named, ["rouge"], **NAMED).ids == ["a", "b", "c"]
    assert score(named.to_iterable_dataset(), ["rouge"], **NAMED).ids == ["a", "b", "c"]
    gap = datasets.Dataset.from_dict({**COLUMNS, "prediction": [None, "", "Normal."]})
    assert score(gap, ["rouge"]).results["rouge"].scores.tolist() == [0, 0, 1]


def test_several_splits_are_refused(datasets):
    splits = datasets.DatasetDict({"test": datasets.Dataset.from_dict(COLUMNS)})
    with pytest.raises(InputError, match=r"pairs has several splits: give one of 'test', as in pairs\['test'\]"):
        score(splits, ["rouge"])


def test_scores_become_flat_columns(pd, monkeypatch):
    real = RougeScorer.score

    def with_gap(self, pairs, detailed):
        values = {key: column.copy() for key, column in real(self, pairs, detailed).values.items()}
        for column in values.values():
            column[1] = np.nan
        return PairScores(values)

    monkeypatch.setattr(RougeScorer, "score", with_gap)
    frame = score(pd.DataFrame(STUDY), ["rouge", "bleu"], **NAMED).to_pandas()
    assert list(frame)[:5] == ["id", "rouge", "rouge.rouge1", "rouge.rouge2", "rouge.rougeL"]
    assert frame["rouge"].dtype == "float64" and frame["rouge"].isna().tolist() == [False, True, False]
    assert frame["bleu.bleu_1"].notna().all()


@pytest.mark.e2e
def test_pandas_is_imported_only_on_request():
    code = "import sys; from radeval_core import score; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
