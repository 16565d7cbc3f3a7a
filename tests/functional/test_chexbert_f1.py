"""F1 of labels, worked by hand and compared with scikit-learn; the vector of labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as arrays
from sklearn.metrics import f1_score, precision_recall_fscore_support

from radeval_core import load
from radeval_core.errors import InputError
from radeval_core.functional.chexbert import (
    BLANK,
    FIVE,
    NEGATIVE,
    POSITIVE,
    UNCERTAIN,
    cosine,
    is_positive,
    label_vector,
    pair_statistics,
    summarise,
)

NAMES = tuple(f"condition_{i}" for i in range(14))
LABELS = arrays.arrays(bool, (7, 14))


def corpus(prediction, reference):
    return summarise(pair_statistics(prediction, reference).sum(axis=0), len(prediction), NAMES)


@settings(max_examples=60)
@given(LABELS, LABELS)
def test_every_average_equals_scikit_learn(prediction, reference):
    ours = corpus(prediction, reference)
    for suffix, chosen in (("", list(range(14))), ("_5", list(FIVE))):
        for average in ("micro", "macro", "weighted", "samples"):
            theirs = f1_score(reference[:, chosen], prediction[:, chosen], average=average, zero_division=0)
            assert ours[f"{average}_f1{suffix}"] == pytest.approx(theirs)
    each = precision_recall_fscore_support(reference, prediction, zero_division=0)
    for i, name in enumerate(NAMES):
        for kind, values in zip(("precision", "recall", "f1"), each, strict=False):
            assert ours[f"{kind}_{name}"] == pytest.approx(values[i])


def test_hand_worked():
    prediction, reference = np.zeros((2, 14), bool), np.zeros((2, 14), bool)
    prediction[0, [1, 9]] = True  # cardiomegaly, effusion
    reference[0, [1, 8]] = True  # cardiomegaly, pneumothorax
    ours = corpus(prediction, reference)
    assert ours["micro_f1"] == pytest.approx(2 / 4)  # one right, one too many, one missed
    assert ours["micro_f1_5"] == pytest.approx(2 / 3)  # pneumothorax is not among the five
    assert ours["macro_f1"] == pytest.approx(1 / 14)
    assert ours["weighted_f1"] == pytest.approx(1 / 2)
    assert ours["samples_f1"] == pytest.approx(0.5 / 2)  # two pairs, one without any label
    assert (ours["accuracy"], ours["accuracy_5"]) == (0.5, 0.5)


def test_resamples_are_summarised_together():
    rng = np.random.default_rng(0)
    stats = pair_statistics(rng.random((9, 14)) < 0.4, rng.random((9, 14)) < 0.4)
    draws = rng.integers(0, 9, (5, 9))
    together = summarise(stats[draws].sum(axis=1), 9, NAMES)
    for i, draw in enumerate(draws):
        alone = summarise(stats[draw].sum(axis=0), 9, NAMES)
        for key, value in alone.items():
            assert together[key][i] == pytest.approx(value)


def test_the_option_decides_how_uncertain_counts():
    classes = np.array([BLANK, POSITIVE, NEGATIVE, UNCERTAIN], np.int8)
    assert is_positive(classes).tolist() == [False, True, False, True]
    assert is_positive(classes, uncertain_is_positive=False).tolist() == [False, True, False, False]


def test_label_vectors_hand_worked():
    positive, negative, uncertain, blank = (label_vector(np.array([c], np.int8)) for c in (1, 2, 3, 0))
    assert cosine(positive, positive) == pytest.approx(1)
    assert cosine(positive, negative) == 0
    assert cosine(positive, uncertain) == pytest.approx(0.5 / np.sqrt(1.25))
    assert cosine(blank, blank) == 1
    assert cosine(blank, positive) == 0


def test_embedded_labels_and_uncertainty():
    metric = load("chexbert_f1")
    pair = ["Possible left lower lobe pneumonia."], ["Left lower lobe pneumonia."]
    assert metric.compute(*pair)["scores"] == [1.0]
    assert load("chexbert_f1", uncertain="negative").compute(*pair)["scores"] == [0.0]
    labels = metric.compute(*pair, detailed=True)["details"][0]
    assert labels["prediction"]["labels"]["Pneumonia"] == "uncertain"
    assert labels["reference"]["labels"]["Pneumonia"] == "positive"
    assert labels["reference"]["labels"]["Fracture"] == "blank"
    assert labels["reference"]["truncated"] is False


def test_a_normal_statement_names_the_heart_but_not_every_disease_of_the_lungs():
    details = load("chexbert_f1").compute(["Heart size is normal. The lungs are clear."], ["No edema."], detailed=True)
    labels = details["details"][0]["prediction"]["labels"]
    assert (labels["Cardiomegaly"], labels["Edema"], labels["Lung Lesion"]) == ("negative", "blank", "blank")
    assert labels["No Finding"] == "positive"


def test_pairs_without_labels_agree():
    result = load("chexbert_f1").compute(["", " \n", ""], ["", "", "Cardiomegaly."])
    assert result["scores"] == [1.0, 1.0, 0.0]
    assert result["similarity_scores"] == [1.0, 1.0, 0.0]


def test_the_headline_is_over_the_corpus():
    result = load("chexbert_f1").compute(
        ["Cardiomegaly. Pleural effusion. Pneumothorax.", "Cardiomegaly."],
        ["Cardiomegaly. Pleural effusion. Pneumothorax.", "Pulmonary edema."],
    )
    assert result["scores"] == [1.0, 0.0]
    assert result["chexbert_f1"] == pytest.approx(2 * 3 / (2 * 3 + 1 + 1))


def test_other_ways_to_count_uncertain_are_refused():
    with pytest.raises(InputError, match=r"option chexbert_f1\.uncertain must be one of positive, negative, got 'no'"):
        load("chexbert_f1", uncertain="no").compute(["a"], ["a"])
