"""`compute_metrics` of a Trainer: what the arrays of an EvalPrediction mean, and a real Trainer in both forms."""

import math
import runpy
from types import SimpleNamespace

import numpy as np
import pytest

from radeval_core import score
from radeval_core.adapters.trainer import NO_TOKEN, ComputeMetrics, best_tokens
from radeval_core.errors import InputError

WORDS = [
    "<pad>",
    "</s>",
    "no",
    "small",
    "large",
    "left",
    "right",
    "pleural",
    "effusion",
    "pneumothorax",
    "zwiebelkuchen",
]


class WordTokenizer:
    """Decodes tokens to words and leaves out the two special ones."""

    def decode(self, token_ids, skip_special_tokens=False):
        assert NO_TOKEN not in token_ids, "the Trainer's filling is no token"
        return " ".join(WORDS[i] for i in token_ids if not (skip_special_tokens and i < 2))


def ids(*texts, width=6, filling=NO_TOKEN):
    rows = [[WORDS.index(word) for word in text.split()] + [1] for text in texts]
    return np.array([row + [filling] * (width - len(row)) for row in rows])


def evaluation(predictions, labels, inputs=None):
    return SimpleNamespace(predictions=predictions, label_ids=labels, inputs=inputs)


def logits(tokens):
    """Return logits whose best token is the given one; the Trainer fills up with NO_TOKEN there, too."""
    found = np.full((*tokens.shape, len(WORDS)), -5.0)
    found[np.arange(len(tokens))[:, None], np.arange(tokens.shape[1]), np.maximum(tokens, 0)] = 5.0
    found[tokens == NO_TOKEN] = NO_TOKEN
    return found


PREDICTIONS = ["small left pleural effusion", "no pneumothorax"]
REFERENCES = ["large left pleural effusion", "no pleural effusion"]
NAMES = ["rouge", "green", "green.error_count"]


@pytest.fixture
def metrics():
    return ComputeMetrics(NAMES, WordTokenizer())


@pytest.fixture(scope="module")
def expected():
    table = score(list(zip(PREDICTIONS, REFERENCES, strict=True)), NAMES).table()
    return {**{name: row["score"] for name, row in table.items()}, **{f"{name}_unscored": 0.0 for name in table}}


@pytest.mark.parametrize("filling", [0, NO_TOKEN])
def test_generated_tokens_and_labels_are_decoded(metrics, expected, filling):
    assert metrics(evaluation(ids(*PREDICTIONS, filling=filling), ids(*REFERENCES))) == expected
    assert metrics.scores.table()["green"]["signature"].startswith("green|config:embedded")


def test_the_first_of_several_outputs_are_the_predictions(metrics, expected):
    assert metrics(evaluation((ids(*PREDICTIONS), np.zeros((2, 3))), ids(*REFERENCES))) == expected


def test_batches_are_scored_together_and_forgotten_after_the_result(metrics, expected):
    for _ in range(2):
        assert metrics(evaluation(ids(PREDICTIONS[0]), ids(REFERENCES[0])), compute_result=False) == {}
        assert metrics(evaluation(ids(PREDICTIONS[1]), ids(REFERENCES[1])), compute_result=True) == expected


def test_a_broken_off_evaluation_can_be_forgotten(metrics, expected):
    metrics(evaluation(ids("zwiebelkuchen"), ids("zwiebelkuchen")), compute_result=False)
    metrics.reset()
    assert metrics(evaluation(ids(*PREDICTIONS), ids(*REFERENCES))) == expected


def test_logits_of_an_encoder_decoder_are_those_of_the_labels(expected):
    metrics = ComputeMetrics(NAMES, WordTokenizer(), teacher_forcing="seq2seq")
    assert metrics(evaluation(logits(ids(*PREDICTIONS)), ids(*REFERENCES))) == expected
    assert metrics(evaluation(best_tokens(logits(ids(*PREDICTIONS)), None), ids(*REFERENCES))) == expected


def test_logits_of_a_decoder_only_model_are_about_the_next_token(expected):
    metrics = ComputeMetrics(NAMES, WordTokenizer(), teacher_forcing="causal")
    prompt = np.full((2, 2), NO_TOKEN)  # labels leave out the prompt
    labels = np.hstack([prompt, ids(*REFERENCES)])
    said = np.hstack(
        [ids("zwiebelkuchen zwiebelkuchen", width=3)[:, :1].repeat(2, axis=0), ids(*PREDICTIONS), prompt[:, :1]]
    )
    assert metrics(evaluation(logits(said), labels)) == expected


def test_the_prompt_of_a_decoder_only_model_is_cut_off(expected):
    metrics = ComputeMetrics(NAMES, WordTokenizer(), decoder_only=True)
    # batches of width 3 and 2: the Trainer fills up the prompts on the right
    inputs = np.array([[0, 10, 10], [10, 10, NO_TOKEN]])
    generated = np.full((2, 9), NO_TOKEN)
    generated[0, :3], generated[0, 3:9] = inputs[0], ids(PREDICTIONS[0])[0]
    generated[1, :2], generated[1, 2:8] = inputs[1, :2], ids(PREDICTIONS[1])[0]
    for given in (inputs, {"input_ids": inputs}):
        assert metrics(evaluation(generated, ids(*REFERENCES), given)) == expected


def test_a_metric_without_a_scored_pair_is_nan_and_counted(metrics):
    found = metrics(evaluation(ids("zwiebelkuchen"), ids("zwiebelkuchen")))
    assert found["rouge"] == 1.0 and found["rouge_unscored"] == 0
    assert math.isnan(found["green"]) and found["green_unscored"] == 1
    assert math.isnan(found["green.error_count"])


def test_cider_sees_all_batches():
    metrics = ComputeMetrics("cider", WordTokenizer())
    for i in (0, 1):
        found = metrics(evaluation(ids(REFERENCES[i]), ids(REFERENCES[i])), compute_result=i == 1)
    assert found["cider"] == pytest.approx(
        score(list(zip(REFERENCES, REFERENCES, strict=True)), ["cider"]).summary()["cider"]["score"]
    )


def test_wrong_settings_are_refused():
    with pytest.raises(InputError, match="unknown teacher_forcing 'casual': did you mean 'causal'"):
        ComputeMetrics("rouge", WordTokenizer(), teacher_forcing="casual")
    with pytest.raises(InputError, match="decoder_only is for generated tokens"):
        ComputeMetrics("rouge", WordTokenizer(), teacher_forcing="causal", decoder_only=True)


def test_wrong_arrays_are_refused(metrics):
    with pytest.raises(InputError, match="got 3 axes: use Seq2SeqTrainer with predict_with_generate=True"):
        metrics(evaluation(logits(ids(*PREDICTIONS)), ids(*REFERENCES)))
    with pytest.raises(InputError, match="2 predictions and 1 labels"):
        metrics(evaluation(ids(*PREDICTIONS), ids(REFERENCES[0])))
    with pytest.raises(InputError, match=r'set include_for_metrics=\["inputs"\]'):
        ComputeMetrics("rouge", WordTokenizer(), decoder_only=True)(evaluation(ids(*PREDICTIONS), ids(*REFERENCES)))
    with pytest.raises(InputError, match=r"logits are for \(2, 5\) tokens"):
        forced = ComputeMetrics("rouge", WordTokenizer(), teacher_forcing="seq2seq")
        forced(evaluation(logits(ids(*PREDICTIONS, width=5)), ids(*REFERENCES)))


@pytest.mark.e2e
@pytest.mark.parametrize("batch_eval_metrics", [False, True])
def test_a_trainer_reports_the_scores_of_what_it_generates(batch_eval_metrics, root, capsys):
    example = runpy.run_path(str(root / "examples" / "harnesses" / "trainer_example.py"))
    numbers = example["main"](batch_eval_metrics)
    assert numbers["eval_radgraph_f1"] > 0.9 and numbers["eval_green_unscored"] == 0  # it learnt six reports by heart
    assert "eval_green.error_count: " in capsys.readouterr().out


@pytest.mark.e2e
def test_a_trainer_of_a_decoder_only_model_scores_its_logits(root, tmp_path):
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

    tokenizer = runpy.run_path(str(root / "examples" / "harnesses" / "trainer_example.py"))["word_tokenizer"](
        REFERENCES
    )
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    rows = [{"input_ids": tokenizer(text).input_ids, "labels": tokenizer(text).input_ids} for text in REFERENCES]
    arguments = TrainingArguments(
        str(tmp_path), per_device_eval_batch_size=1, report_to="none", use_cpu=True, disable_tqdm=True
    )
    metrics = ComputeMetrics(["rouge", "green"], tokenizer, teacher_forcing="causal")
    found = [
        Trainer(
            LlamaForCausalLM(config), arguments, eval_dataset=Dataset.from_list(rows), compute_metrics=metrics,
            preprocess_logits_for_metrics=preprocess,
        ).evaluate()
        for preprocess in (None, best_tokens)
    ]  # fmt: skip
    assert all(0 <= numbers["eval_rouge"] < 1 and numbers["eval_rouge_unscored"] == 0 for numbers in found)
