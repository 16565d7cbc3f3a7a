"""Scores by facet, from the stored scores alone."""

import pytest
from small_benchmark import REFERENCES, outcome, write_benchmark

from radeval_core.errors import InputError
from radeval_core.leaderboard.benchmark import load_benchmark
from radeval_core.leaderboard.facets import facet_groups, subset_score

FACETS = ["anatomy", "length", "normality"]


@pytest.fixture
def faceted(tmp_path):
    return write_benchmark(tmp_path / "faceted", facets=FACETS)


@pytest.fixture
def scored():
    """Return a result with known scores; the fourth study has none for BLEU."""
    nan = float("nan")
    green = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    return outcome("one", green, [0.1, 0.1, 0.1, nan, 0.1, 0.1], ids=tuple(REFERENCES))


def test_normality_is_read_from_the_reference(faceted):
    groups = facet_groups(faceted, "normality")
    assert groups == {"abnormal": ("s1", "s2", "s3", "s4", "s5"), "normal": ("s6",)}


def test_lengths_are_thirds_by_the_words_of_the_reference(tmp_path):
    words = {f"w{n}": "word " * n for n in (5, 1, 3, 2, 6, 4)}
    benchmark = write_benchmark(tmp_path / "words", words, facets=["length"])
    assert facet_groups(benchmark, "length") == {"short": ("w1", "w2"), "medium": ("w3", "w4"), "long": ("w5", "w6")}


def test_references_of_one_length_are_one_group(tmp_path):
    benchmark = write_benchmark(tmp_path / "same", {f"w{n}": "Clear lungs." for n in range(4)}, facets=["length"])
    assert facet_groups(benchmark, "length") == {"short": ("w0", "w1", "w2", "w3")}


def test_the_score_of_a_value_is_the_mean_of_its_studies(faceted, scored):
    found = subset_score(scored, faceted, "normality", "abnormal")
    assert found.mean == pytest.approx((0.0 + 0.2 + 0.4 + 0.6 + 0.8) / 5)
    assert found.ci95[0] < found.mean < found.ci95[1] and (found.n, found.studies, found.is_headline) == (5, 5, True)


def test_one_study_has_a_mean_and_no_interval(faceted, scored):
    found = subset_score(scored, faceted, "normality", "normal")
    assert (found.mean, found.ci95, found.n) == (1.0, None, 1)


def test_an_unscored_study_is_counted_and_left_out(faceted, scored):
    found = subset_score(scored, faceted, "anatomy", "CHEST", "bleu")
    assert (found.n, found.studies) == (5, 6) and found.mean == pytest.approx(0.1)


def test_a_mean_of_a_corpus_metric_is_not_its_headline(faceted, scored):
    assert not subset_score(scored, faceted, "anatomy", "CHEST", "bleu").is_headline
    assert subset_score(scored, faceted, "anatomy", "CHEST", "fineradscore").is_headline


def test_a_field_that_a_study_lacks_is_not_stated(tmp_path):
    benchmark = write_benchmark(tmp_path / "lacking", facets=["question"])
    del benchmark.studies["s1"].given["question"]
    assert facet_groups(benchmark, "question")["not stated"] == ("s1",)


@pytest.mark.parametrize(
    ("facet", "value", "metric", "expected"),
    [
        ("modality", "X-Ray", None, "unknown facet of small 'modality'"),
        ("normality", "abnormall", None, "did you mean 'abnormal'"),
        ("normality", "normal", "blue", "did you mean 'bleu'"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(faceted, scored, facet, value, metric, expected):
    with pytest.raises(InputError, match=expected):
        subset_score(scored, faceted, facet, value, metric)


def test_every_facet_of_the_shipped_benchmark_splits_its_studies():
    benchmark = load_benchmark()
    for facet in benchmark.facets:
        groups = facet_groups(benchmark, facet)
        assert len(groups) > 1 and sum(map(len, groups.values())) == len(benchmark.studies)
