"""The tools that measure rewards: their pairs, their policies and their tables."""

import pytest

import bench_reward_hacking as hacking
from radeval_core.errors import InputError


@pytest.fixture(scope="module")
def bench():
    import bench_rewards  # with it comes torch

    return bench_rewards


def test_completions_are_new_and_references_are_not(bench):
    batches = bench.Batches(bench.distinct_corpus(bench.BATCH))
    one, other = batches.new(), batches.new()
    assert len(one) == 16 and [pair.reference for pair in one] == batches.references
    assert not {pair.prediction for pair in one} & {pair.prediction for pair in other}


def test_a_metric_is_measured_with_and_without_the_reward(bench):
    own, rewarded = bench.measure("bleu", 2)
    assert own > 0 and rewarded > 0


def test_memory_is_measured_after_each_quarter(bench):
    assert len(bench.memory("bleu", 8)) == 5


@pytest.fixture(scope="module")
def cases():
    return hacking.generated_cases(4)


def test_policies_that_do_not_look_say_the_same_about_every_film_of_a_kind(cases):
    other = hacking.Case("Other.", "Other.", cases[0].anatomy, cases[0].modality)
    for name in ("empty", "normal template", "every finding", "prompt"):
        policy = hacking.POLICIES[name]
        assert policy(cases[0]) == policy(other)
    assert hacking.POLICIES["honest"](other) == "Other."
    assert hacking.one_sentence(other) == " ".join(["Other."] * hacking.REPEATS)
    assert hacking.one_sentence(hacking.Case("", "x", other.anatomy, other.modality)).startswith(
        "No acute abnormality."
    )


def test_every_example_has_a_region():
    assert len(hacking.example_cases()) == 16


def test_the_tables(cases):
    free, guarded = hacking.rewards_of(["bleu", "cider"], cases)
    empty = list(hacking.POLICIES).index("empty")
    assert free["bleu"][0][0] > free["bleu"][empty][0] == 0
    assert guarded["bleu"][0][0] <= free["bleu"][0][0]
    table = hacking.markdown({"x": [(0.5, 0), (0.75, 1), (None, 4)]})
    assert table.splitlines()[2] == "| x | 0.50 | **0.75** (1 unscored) | none (4 unscored) |"


def test_a_page_gets_a_table_between_its_marks():
    page = "a\n<!-- t -->\nold\n<!-- end of t -->\nb\n"
    assert hacking.put(page, "t", "new") == "a\n<!-- t -->\nnew\n<!-- end of t -->\nb\n"
    with pytest.raises(InputError, match="no marks"):
        hacking.put(page, "u", "new")
