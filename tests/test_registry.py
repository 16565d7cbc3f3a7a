"""Names of metrics and of their parts."""

import pytest

from radeval_core.errors import InputError
from radeval_core.registry import get_spec, metric_names, metric_value, metrics_behind


def test_a_metric_names_its_score():
    value = metric_value("fineradscore")
    assert (value.metric, value.key, value.higher_is_better, value.is_part) == (
        "fineradscore",
        "fineradscore",
        False,
        False,
    )


@pytest.mark.parametrize(
    ("name", "metric", "key", "up"),
    [
        ("green.error_count", "green", "error_count", False),
        ("green.weighted", "green", "weighted", True),
        ("chexbert_f1.similarity", "chexbert_f1", "similarity", True),
        ("radgraph_f1.combined", "radgraph_f1", "combined", True),
        ("fineradscore.max", "fineradscore", "max", False),
        ("radcliq.v0", "radcliq", "v0", False),
        ("radcliq.bleu", "radcliq", "bleu", True),
    ],
)
def test_a_part_has_its_own_direction(name, metric, key, up):
    value = metric_value(name)
    assert (value.name, value.metric, value.key, value.higher_is_better) == (name, metric, key, up)
    assert value.is_part and value.arrow == ("↑" if up else "↓")


def test_every_part_of_every_metric_can_be_named_and_says_what_it_is():
    for name in metric_names():
        for part, declared in get_spec(name).parts.items():
            assert metric_value(f"{name}.{part}").key == part
            assert len(declared.about) > 5


def test_metrics_behind_names_each_metric_once_in_order():
    assert metrics_behind(["green.error_count", "bleu", "green", "green.weighted"]) == ["green", "bleu"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gren", "did you mean 'green'"),
        ("gren.error_count", "did you mean 'green'"),
        ("green.errors", "unknown part of green 'errors'"),
        ("green.", "unknown part of green ''"),
        ("cider.cider", "unknown part of cider 'cider'"),
    ],
)
def test_unknown_names_say_what_there_is(name, message):
    with pytest.raises(InputError, match=message):
        metric_value(name)
