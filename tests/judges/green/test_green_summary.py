"""The summary of a test set and the map of its errors."""

import json

import numpy as np
import pytest
from PIL import Image

from radeval_core import load
from radeval_core.error_categories import CATEGORIES
from radeval_core.errors import CheckpointError, InputError
from radeval_core.judges.green.analysis import NO_ERRORS, NONE, Counted, GreenAnalysis, GreenItem
from radeval_core.judges.green.clusters import Representative, cluster
from radeval_core.judges.green.error_plot import draw_errors
from radeval_core.judges.green.summary import ErrorSentences, summarise

REFERENCES = ["Small left pleural effusion. Right rib fracture.", "Mild cardiomegaly.", "The lungs are clear."] * 2
CANDIDATES = ["Small right pleural effusion.", "The heart is normal in size.", "Consolidation in the right lung."] * 2


def around(angle, n, spread=0.02):
    """Return unit vectors close to an angle."""
    angles = angle + spread * np.linspace(-1, 1, n)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_the_representatives_are_nearest_to_the_centre_of_the_largest_cluster():
    vectors = np.concatenate([around(0.0, 5), around(1.5, 3), around(3.0, 4)])
    texts = [f"left {i}" for i in range(5)] + [f"up {i}" for i in range(3)] + [f"right {i}" for i in range(4)]
    found = cluster(texts, vectors)
    assert (found.clusters, found.largest) == (3, 5)
    assert found.representatives[0] == Representative("left 2", 1)
    assert {r.text for r in found.representatives} == {"left 1", "left 2", "left 3"}


def test_the_best_k_is_found_even_if_a_binary_search_would_stop_early():
    centres = [0.0, 0.9, 1.8, 2.7, 3.6, 4.5, 5.4]
    vectors = np.concatenate([around(c, 4) for c in centres])
    assert cluster([f"{i}" for i in range(28)], vectors).clusters == len(centres)


def test_the_order_of_sentences_does_not_matter():
    vectors = np.concatenate([around(0.0, 4), around(2.0, 3)])
    texts = [f"text {i}" for i in range(7)]
    order = [6, 2, 0, 5, 1, 4, 3]
    assert cluster(texts, vectors) == cluster([texts[i] for i in order], vectors[order])


@pytest.mark.parametrize(
    "texts, clusters, chosen",
    [
        ([], 0, []),
        (["a"], 1, [("a", 1)]),
        (["a", "a", "a"], 1, [("a", 3)]),
        (["a", "b"], 1, [("a", 1), ("b", 1)]),
    ],
)
def test_few_sentences_are_one_cluster(texts, clusters, chosen):
    vectors = np.array([[1.0, 0.0] if t == "a" else [0.0, 1.0] for t in texts], np.float32).reshape(-1, 2)
    found = cluster(texts, vectors)
    assert found.clusters == clusters and [(r.text, r.count) for r in found.representatives] == chosen


def test_the_summary_prints_means_and_sentences():
    errors = (Counted(3, (GreenItem("nodule"), GreenItem("nodule"))), *NO_ERRORS[1:])
    analyses = [GreenAnalysis("", errors, NO_ERRORS, Counted(1)), GreenAnalysis("", NO_ERRORS, NO_ERRORS, NONE)]
    sentences = ErrorSentences(
        (("nodule", "nodule"), *[()] * 5), (np.ones((2, 1), np.float32), *[np.empty((0, 1))] * 5), "x"
    )
    summary = summarise(analyses, [0.25, 0.75], sentences)
    assert summary.significant == (1.5, 0, 0, 0, 0, 0) and summary.matched == 0.5
    lines = summary.text.split("\n")
    assert lines[1] == "Green score: mean 0.50 std 0.25"
    assert lines[4:6] == ["(a) False report of a finding in the candidate: 1.50", "    nodule (2 times)"]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    file = tmp_path_factory.mktemp("plot") / "errors.png"
    found = load("green", summary=True, plot=str(file)).compute(CANDIDATES, REFERENCES)
    return found, file


def test_the_result_contains_the_summary(result):
    found, _ = result
    summary = found["summary"]
    assert json.loads(json.dumps(summary)) == summary
    assert set(summary["categories"]) == set(CATEGORIES) and summary["pairs"] == 6
    assert summary["mean"] == found["green"] and summary["std"] == pytest.approx(found["std"])
    (sentence,) = summary["categories"]["wrong_location"]["representatives"]
    assert "left pleural effusion" in sentence["text"] and sentence["count"] == 2
    assert summary["encoder"].startswith("all-MiniLM-L6-v2@") and sentence["text"] in summary["text"]


def test_the_map_is_a_png_with_every_category_in_its_legend(result):
    image = Image.open(result[1])
    assert image.format == "PNG" and image.size == (1800, 1120)
    colours = {colour for _, colour in image.convert("RGB").getcolors(1 << 24)}
    assert {(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167)} <= colours


def test_the_map_of_no_error_and_of_one():
    none = [np.empty((0, 2), np.float32)] * 6
    one = [("costs $5 and $6",), *[()] * 5], [np.ones((1, 2), np.float32), *none[1:]]
    assert draw_errors([()] * 6, none).png != draw_errors(*one).png == draw_errors(*one).png


def test_without_the_option_the_result_has_no_summary():
    assert "summary" not in load("green").compute(CANDIDATES, REFERENCES)


def test_a_map_must_be_a_png_and_an_encoder_must_exist(tmp_path):
    with pytest.raises(InputError, match=r"plot must be a file name that ends in .png, got 'x.svg'"):
        load("green", plot="x.svg").compute(["a"], ["a"])
    with pytest.raises(InputError, match=r"ends in .png, not 'x.jpg'"):
        draw_errors([()] * 6, [np.empty((0, 2), np.float32)] * 6).save("x.jpg")
    with pytest.raises(CheckpointError, match="cannot load"):
        load("green", summary=True, encoder=str(tmp_path)).compute(CANDIDATES, REFERENCES)
