"""What a judge is trained on: the question as it will be asked, and labels on the answer alone."""

import json

import pytest
from judge_run import judge_row, make_base, write_rows

from radeval_core.errors import InputError
from radeval_core.train.rows import read_training_rows

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    from radeval_core.train.judge.base_model import open_base

    return open_base(str(make_base(tmp_path_factory.mktemp("base"))))


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return read_training_rows(write_rows(tmp_path_factory.mktemp("rows") / "train.jsonl"))


def examples(rows, base, most=2048):
    from radeval_core.train.judge.examples import judge_examples

    return judge_examples(rows, base.maker, most)


def test_the_question_is_the_one_that_the_finished_judge_gets(base, rows):
    from radeval_core.judges.backends.transformers_backend import TransformersBackend
    from radeval_core.judges.green.instructions import GreenInstructions

    asked = TransformersBackend(base.source, "cpu").prompts.prompt(
        GreenInstructions().request(rows[0].reference, rows[0].prediction)
    )
    assert examples(rows, base).kept[0].prompt == asked.ids


def test_labels_are_the_answer_and_its_end_token_and_nothing_else(base, rows):
    example = examples(rows, base).kept[0]
    tokenizer = base.maker.tokenizer
    labelled = [token for token in example.labels if token != -100]
    assert example.labels[: len(example.prompt)] == [-100] * len(example.prompt)
    assert labelled[-1] == tokenizer.eos_token_id
    assert tokenizer.decode(labelled[:-1]) == rows[0].answer
    assert len(example.labels) == len(example.ids) == len(example)


def test_a_special_token_inside_an_answer_is_text(base, tmp_path):
    row = judge_row(1, "train")
    row["answer"] = str(row["answer"]).replace("The side", "</s> The side")
    example = examples(read_training_rows(write_rows(tmp_path / "t.jsonl", [row])), base).kept[0]
    assert example.answer.count(base.maker.tokenizer.eos_token_id) == 1


def test_rows_that_do_not_fit_are_counted_and_named_and_left_out_only_on_request(base, rows):
    lengths = [len(example) for example in examples(rows, base).kept]
    found = examples(rows, base, min(lengths))
    assert len(found.kept) == lengths.count(min(lengths))
    with pytest.raises(
        InputError, match=r"of 10 rows have more than \d+ tokens with their answer: 'side:.*--drop-long"
    ):
        found.checked(drop_long=False)
    assert found.checked(drop_long=True) is found
    with pytest.raises(InputError, match="no row has at most 10 tokens"):
        examples(rows, base, 10).checked(drop_long=True)


def test_the_limit_of_the_metric_counts_too(base, rows):
    assert examples(rows, base, 4000).limit == 2048  # GREEN's own


def test_a_metric_that_asks_in_a_chat_needs_a_chat_template(tmp_path):
    from radeval_core.train.judge.base_model import open_base

    base = open_base(str(make_base(tmp_path, chat=False)))
    counts = {"significant": {}, "insignificant": {}, "matched": None}
    row = judge_row(1, "train", metric="fineradscore", answer=json.dumps({}), counts=counts)
    with pytest.raises(InputError, match="has no chat template, and fineradscore asks its judge in a chat"):
        examples(read_training_rows(write_rows(tmp_path / "t.jsonl", [row])), base)


def test_green_needs_no_chat_template(tmp_path, rows):
    from radeval_core.train.judge.base_model import open_base

    assert len(examples(rows, open_base(str(make_base(tmp_path, chat=False)))).kept) == 10


def test_the_adapter_of_a_base_is_counted_by_hand(base):
    from radeval_core.train.judge.recipes import get_recipe

    # per layer: q and o 32x32, k and v 32x16, gate, up and down 32x64; rank 2, two layers
    per_layer = 2 * (32 + 32) + 2 * (32 + 16) + 3 * (32 + 64)
    assert base.size(get_recipe("small", {"lora_r": 2}), 4).trained == 2 * 2 * per_layer


def test_packed_examples_do_not_see_each_other(base):
    import torch

    from radeval_core.train.judge.packing import check_separate

    model = base.load(torch.float32)
    check_separate(model, "tiny")
    plain = model.forward

    def ignoring_positions(position_ids=None, **given):
        return plain(**given)

    model.forward = ignoring_positions
    with pytest.raises(InputError, match="cannot be trained with --packing here: its attention mixes"):
        check_separate(model, "tiny")
