"""A set of metrics gives the numbers of `score`, whether the pairs come together or one at a time."""

import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import pytest

from radeval_core import score
from radeval_core.adapters.metric_set import Headline, MetricSet, PairValue, unscored
from radeval_core.errors import InputError

#: a mean of pairs, a part, two corpus headlines, a number over the corpus, and one where lower is better
NAMES = ["radgraph_f1", "green.error_count", "bleu", "chexbert_f1", "chexbert_f1.macro_f1", "fineradscore"]
SPANISH = "El corazón está aumentado de tamaño y hay derrame pleural."


@pytest.fixture(scope="module")
def texts(example_pairs):
    """Return predictions and references, with a pair that most metrics cannot read."""
    rows = [*example_pairs[:6], {"prediction": SPANISH, "reference": example_pairs[0]["reference"]}]
    return [row["prediction"] for row in rows], [row["reference"] for row in rows]


@pytest.fixture(scope="module")
def metrics():
    return MetricSet(NAMES, pair_by_pair=True)


@pytest.fixture(scope="module")
def values(metrics, texts):
    """Return the values of each name, scored one pair at a time."""
    pairs = [metrics.score_pairs([p], [r])[0].values for p, r in zip(*texts, strict=True)]
    return {name: [pair[name] for pair in pairs] for name in NAMES}


@pytest.fixture(scope="module")
def expected(texts):
    return score(list(zip(*texts, strict=True)), NAMES).table()


@pytest.mark.parametrize("name", NAMES)
def test_the_headline_of_single_pairs_is_that_of_all_pairs(name, metrics, values, expected):
    assert metrics.headline(name, values[name]) == pytest.approx(expected[name]["score"], abs=1e-12)
    assert metrics.ci95(name, values[name]) == pytest.approx(expected[name]["ci95"], abs=1e-12)
    assert Headline(metrics, name)(values[name]) == metrics.headline(name, values[name])


def test_all_pairs_at_once_give_the_same(metrics, texts, expected):
    assert metrics.score(*texts).table() == expected


def test_an_unscored_pair_is_nan_and_counted(values):
    assert math.isnan(values["radgraph_f1"][-1]) and values["radgraph_f1"][-1].statistics is None
    assert unscored(values["radgraph_f1"]) == 1 and unscored(values["bleu"]) == 0
    assert not any(math.isnan(value) for value in values["radgraph_f1"][:-1])


def test_the_headline_without_a_scored_pair_is_nan(metrics, values):
    assert math.isnan(metrics.headline("radgraph_f1", values["radgraph_f1"][-1:]))
    assert math.isnan(metrics.headline("radgraph_f1", []))
    assert metrics.ci95("radgraph_f1", values["radgraph_f1"][:1]) is None


def test_a_number_over_the_corpus_has_no_value_for_a_pair_but_a_headline(values):
    assert all(math.isnan(value) for value in values["chexbert_f1.macro_f1"])


def test_values_and_headlines_can_be_sent_to_another_process(metrics, values):
    sent, headline = pickle.loads(pickle.dumps((values["bleu"], Headline(metrics, "bleu"))))
    assert sent == values["bleu"] and [v.statistics for v in sent] == [v.statistics for v in values["bleu"]]
    assert headline(sent) == metrics.headline("bleu", values["bleu"])
    assert pickle.loads(pickle.dumps(metrics)) is pickle.loads(pickle.dumps(metrics))
    assert deepcopy(metrics) is metrics


def test_threads_share_a_set(metrics, texts, values):
    pairs = list(zip(*texts, strict=True)) * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pair: metrics.score_pairs([pair[0]], [pair[1]])[0].values["radgraph_f1"], pairs))
    assert [str(value) for value in found] == [str(value) for value in values["radgraph_f1"] * 4]


def test_unread_single_pairs_do_not_fill_the_log(metrics, texts, caplog):
    metrics.score_pairs([SPANISH], [texts[1][0]])
    assert not caplog.records
    MetricSet("green").score([SPANISH], [texts[1][0]])
    assert "1 of 1 pairs are not scored by green" in caplog.text and SPANISH not in caplog.text


def test_details_are_returned_on_request(metrics, texts):
    (pair,) = metrics.score_pairs(texts[0][:1], texts[1][:1], detailed=True)
    assert "entities" in pair.details["radgraph_f1"]["prediction"]
    assert metrics.score_pairs(texts[0][:1], texts[1][:1])[0].details == {}


def test_a_section_is_scored_and_counted():
    found = MetricSet("rouge", section="findings").score(
        ["FINDINGS: Clear."], ["FINDINGS: Clear.\nIMPRESSION: Normal."]
    )
    assert found.table()["rouge"]["score"] == 1.0 and found.table()["rouge"]["section"] == "findings"


def test_cider_is_refused_for_single_pairs_unless_it_has_a_corpus(texts):
    with pytest.raises(
        InputError, match=r"cider must see all references .* options=\{'cider': \{'corpus': reports\}\}"
    ):
        MetricSet(["rouge", "cider"], pair_by_pair=True)
    corpus = {"cider": {"corpus": texts[1]}}
    metrics = MetricSet("cider", options=corpus, pair_by_pair=True)
    values = [metrics.score_pairs([p], [r])[0].values["cider"] for p, r in zip(*texts, strict=True)]
    whole = score(list(zip(*texts, strict=True)), ["cider"], options=corpus)
    assert metrics.headline("cider", values) == pytest.approx(whole.summary()["cider"]["score"])
    assert MetricSet("cider").score(*texts).table()["cider"]["score"] > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MetricSet([]), "no metric given; available: bertscore"),
        (lambda: MetricSet("gren"), "did you mean 'green'"),
        (lambda: MetricSet("green.errors"), "unknown part of green 'errors'"),
        (lambda: MetricSet("bleu", configs={"green": "embedded"}), "'green', which is not among the metrics"),
        (lambda: MetricSet("bleu", options={"bleu": {"x": 1}}), "unknown option of bleu 'x'"),
        (lambda: MetricSet("bleu").shown("rouge"), "unknown name among the metrics 'rouge'"),
        (lambda: MetricSet("bleu").headline("bleu", [0.5]), "needs the values that our metrics returned, got float"),
        (lambda: MetricSet(["bleu", "green"]).score(["a"], [["b", "c"]]), "green"),
        (lambda: MetricSet("bleu").score(["a"], []), "same length: got 1 and 0"),
    ],
)
def test_wrong_input_is_refused_with_what_to_do(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_pair_value_is_a_float():
    assert PairValue(0.25, (1.0, 4.0)) == 0.25 and math.isnan(PairValue(None, None))
