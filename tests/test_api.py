import gc
import tracemalloc

import numpy as np
import pytest

import radeval_core
from radeval_core import Pair, load, metric_names, score
from radeval_core.errors import InputError, MissingDependencyError
from radeval_core.metrics.base import PairScores
from radeval_core.metrics.rouge import RougeScorer

ROWS = [("Clear lungs.", "Lungs are clear."), ("", "Normal."), ("Left effusion.", "Right effusion.")]


def test_rows_can_have_three_forms():
    dicts = [{"prediction": p, "reference": r, "id": f"case {i}"} for i, (p, r) in enumerate(ROWS)]
    pairs = [Pair(p, (r,), f"case {i}") for i, (p, r) in enumerate(ROWS)]
    plain, named, typed = (score(rows, ["rouge"]) for rows in (ROWS, dicts, pairs))
    assert plain.ids == [0, 1, 2] and named.ids == typed.ids == ["case 0", "case 1", "case 2"]
    for other in (named, typed):
        np.testing.assert_array_equal(plain.results["rouge"].scores, other.results["rouge"].scores)


def test_rows_keep_order_and_name_parts():
    rows = list(score(ROWS, ["rouge", "bleu"]).rows())
    assert [row["id"] for row in rows] == [0, 1, 2]
    assert list(rows[0]["scores"])[:4] == ["rouge", "rouge.rouge1", "rouge.rouge2", "rouge.rougeL"]
    assert "bleu.bleu_2_radcliq" in rows[0]["scores"]


def test_summary():
    summary = score(ROWS, ["rouge"]).summary()["rouge"]
    low, high = summary["ci95"]
    assert low <= summary["score"] <= high
    assert summary["n"] == 3 and summary["unscored"] == 0 and summary["higher_is_better"] is True
    assert summary["rouge1"] >= summary["rouge2"]
    assert score(ROWS[:1], ["rouge"]).summary()["rouge"]["ci95"] is None


def test_annotations_are_shared_between_metrics_and_chunks(tiny_encoder, monkeypatch):
    from radeval_core.annotators.token_embeddings import TokenEmbedder

    monkeypatch.setattr("radeval_core.runner.CHUNK_PAIRS", 2)
    seen = []
    real = TokenEmbedder.annotate
    monkeypatch.setattr(TokenEmbedder, "annotate", lambda self, texts: seen.extend(texts) or real(self, texts))
    rows = [("clear lungs", "lungs"), ("clear lungs", "heart")] * 5
    score(rows, ["bertscore", "rouge"], configs={"bertscore": str(tiny_encoder)})
    assert sorted(seen) == ["clear lungs", "heart", "lungs"]


def test_a_stream_is_read_once_and_in_chunks(monkeypatch):
    monkeypatch.setattr("radeval_core.runner.CHUNK_PAIRS", 4)
    waiting, most = 0, 0
    real = RougeScorer.score

    def counted(self, pairs, detailed):
        nonlocal waiting
        waiting -= len(pairs)
        return real(self, pairs, detailed)

    monkeypatch.setattr(RougeScorer, "score", counted)

    def stream():
        nonlocal waiting, most
        for i in range(20):
            waiting += 1
            most = max(most, waiting)
            yield f"report {i}", "report"

    assert len(score(stream(), ["rouge"]).ids) == 20
    assert most == 4


@pytest.mark.slow
def test_memory_grows_only_with_the_results(monkeypatch):
    monkeypatch.setattr("radeval_core.runner.CHUNK_PAIRS", 10)

    def peak(n):
        rows = ((f"{i} clear lungs " * 250, f"lungs {i} are clear " * 250) for i in range(n))
        gc.collect()
        tracemalloc.start()
        score(rows, ["bleu"])
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(40)  # do not count imports and caches
    growth = (peak(80) - peak(40)) / 40
    assert growth < 1000, f"{growth} bytes per pair: the texts alone are 8,000"


def test_two_passes_need_pairs_that_can_be_read_twice():
    with pytest.raises(InputError, match="cider must read the pairs twice"):
        score(iter(ROWS), ["rouge", "cider"])
    assert score(iter(ROWS), ["cider"], options={"cider": {"corpus": ["a b", "c d"]}}).ids == [0, 1, 2]


def test_unscored_pairs_are_counted_and_left_out(monkeypatch):
    def with_gap(self, pairs, detailed):
        values = np.array([1.0, np.nan, 0.5])
        return PairScores({key: values for key in self.value_names})

    monkeypatch.setattr(RougeScorer, "score", with_gap)
    scores = score(ROWS, ["rouge"])
    summary = scores.summary()["rouge"]
    assert summary["score"] == 0.75 and summary["n"] == 2 and summary["unscored"] == 1
    assert [row["scores"]["rouge"] for row in scores.rows()] == [1.0, None, 0.5]


def test_nothing_scored_has_no_headline(monkeypatch):
    nothing = lambda self, pairs, detailed: PairScores({k: np.full(len(pairs), np.nan) for k in self.value_names})  # noqa: E731
    monkeypatch.setattr(RougeScorer, "score", nothing)
    assert score(ROWS, ["rouge"]).summary()["rouge"]["score"] is None


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"metrics": []}, "metrics must be a list with at least one of: "),
        ({"metrics": "rouge"}, "metrics must be a list"),
        ({"metrics": ["ruge"]}, "unknown metric 'ruge': did you mean 'rouge'"),
        ({"metrics": ["rouge"], "configs": {"bleu": "embedded"}}, "for 'bleu', which is not among the metrics"),
        ({"metrics": ["rouge"], "configs": {"rouge": "no/such"}}, "unknown config of rouge 'no/such'"),
        ({"metrics": ["rouge"], "options": {"rouge": {"steemer": 1}}}, "unknown option of rouge 'steemer': did you"),
        (
            {"metrics": ["bleu"], "options": {"bleu": {"tokenize": "x"}}},
            "option bleu.tokenize must be one of 13a, intl",
        ),
        (
            {"metrics": ["bertscore"], "configs": {"bertscore": "robertta"}},
            "Hub id such as 'org/model', or an existing",
        ),
        ({"metrics": ["bertscore"], "device": "gpu"}, "unknown device 'gpu'"),
        ({"metrics": ["rouge"], "pairs": []}, "are empty: give at least one pair"),
        (
            {"metrics": ["rouge"], "pairs": ["ab"]},
            r"pairs\[0\] must be a Pair, a dict or \(prediction, reference\), got str",
        ),
        ({"metrics": ["rouge"], "pairs": [("a", "b"), {"prediction": ""}]}, r"pairs\[1\] has no 'reference'"),
        ({"metrics": ["rouge"], "pairs": [("a", None)]}, r"pairs\[0\].reference must be a string, got None"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        score(**{"pairs": ROWS, **arguments})


def test_a_missing_extra_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "radeval_core.annotators.token_embeddings", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'radeval_core\[models\]'"):
        load("bertscore").compute(["a"], ["a"])


def test_the_embedded_config_names_the_published_one_once(caplog):
    load("bertscore")
    load("bertscore")
    assert caplog.text.count("For numbers comparable with papers use config 'distilroberta-base'") == 1
    caplog.clear()
    load("bleu")
    load("bertscore", "distilroberta-base")
    assert not caplog.text


def test_public_names():
    assert radeval_core.metric_names() == metric_names()
    assert radeval_core.ReportMetric.__name__ == "ReportMetric"
    for name in radeval_core.__all__:
        assert getattr(radeval_core, name)
    with pytest.raises(AttributeError):
        radeval_core.nonsense  # noqa: B018
