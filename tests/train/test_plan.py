"""Estimates before a run, worked out by hand."""

from radeval_core.train.plan import ModelSize, Plan, in_bytes, in_words

SIZE = ModelSize(parameters=1000, trained=100, layers=2, hidden=10, weight_bytes=4)


def plan(**changes):
    given = {"rows": {"train": 5}, "steps": 3, "tokens": 50, "longest": 7, "size": SIZE, "device": "cpu"}
    return Plan(**{**given, **changes})


def test_memory_is_weights_gradients_optimiser_and_activations():
    # 1000 weights, 100 gradients with two moments of 4 bytes each, 7 tokens x 2 layers x 10 numbers x 17, all in fp32
    assert plan().memory_bytes == 1000 * 4 + 100 * (4 + 8) + 7 * 2 * 10 * 17 * 4


def test_checkpointing_keeps_fewer_activations_and_computes_more():
    assert plan().memory_bytes - plan(checkpointing=True).memory_bytes == 7 * 2 * 10 * 15 * 4
    assert plan().operations == (4 + 2 * 0.1) * 1000 * 50
    assert plan(checkpointing=True).operations == (6 + 2 * 0.1) * 1000 * 50


def test_two_processes_take_half_the_time():
    assert plan().seconds(speed=1e3) == 2 * plan(processes=2).seconds(speed=1e3)


def test_disk_is_the_model_and_three_checkpoints():
    assert plan().disk_bytes == 1000 * 4 + 3 * 100 * 12


def test_lines_say_what_is_left_out():
    lines = plan(notes=("left out: 2 rows",)).lines(speed=1e9)
    assert lines[0] == "rows:    5 train"
    assert lines[-1] == "left out: 2 rows"


def test_times_and_sizes_as_people_say_them():
    assert [in_words(s) for s in (0.2, 89, 120, 9000)] == ["1 second", "89 seconds", "2 minutes", "2.5 hours"]
    assert [in_bytes(b) for b in (10, 2.4e6, 3.25e9)] == ["1 MB", "2 MB", "3.2 GB"]
