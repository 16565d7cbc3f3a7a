"""TRL itself: three steps of GRPO on a tiny random Llama, with our rewards."""

import math

import pytest

from radeval_core.errors import InputError
from radeval_core.rewards import make_reward
from tiny_llama import make_tiny_llama

pytestmark = pytest.mark.harness

REPORTS = [
    "Small left pleural effusion. No pneumothorax.",
    "The heart is enlarged. The lungs are clear.",
    "No acute cardiopulmonary abnormality.",
    "Right basal atelectasis without consolidation.",
]
QUESTION = "Describe the chest film."


@pytest.fixture(scope="module")
def tiny_llama(tmp_path_factory):
    return make_tiny_llama(tmp_path_factory.mktemp("llama"), [*REPORTS, QUESTION])


def train(folder, out, rewards, conversational, columns, steps=3):
    import datasets
    from transformers import AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = "<unk>"
    prompt = [{"role": "user", "content": QUESTION}] if conversational else QUESTION
    rows = datasets.Dataset.from_dict({"prompt": [prompt] * len(REPORTS), **columns})
    settings = GRPOConfig(
        output_dir=str(out),
        max_steps=steps,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=12,
        learning_rate=1e-3,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        bf16=False,
        disable_tqdm=True,
        seed=1,
    )
    trainer = GRPOTrainer(
        model=str(folder), reward_funcs=rewards, args=settings, train_dataset=rows, processing_class=tokenizer
    )
    trainer.train()
    return trainer


@pytest.mark.parametrize("conversational", [False, True], ids=["texts", "messages"])
def test_three_steps(tiny_llama, tmp_path, conversational):
    rewards = [
        make_reward("rouge"),
        make_reward({"bertscore": 0.5, "fineradscore": 0.5}, length_guard=2),
        make_reward({"radgraph_f1": 0.5, "crimson": 0.5}),
    ]
    columns = {"reference": REPORTS, "age": ["75", "40", "33", "81"]}
    trainer = train(tiny_llama, tmp_path, rewards, conversational, columns)
    logs = [entry for entry in trainer.state.log_history if "rewards/rouge/mean" in entry]
    assert trainer.state.global_step == 3 and len(logs) == 3
    for reward in rewards:
        means = [entry[f"rewards/{reward.__name__}/mean"] for entry in logs]
        # TRL logs None for a step in which no completion has a reward: a random model writes what no parser reads
        assert any(mean is not None for mean in means)
        assert all(mean is None or 0 <= mean <= 1 for mean in means)
    assert all(0 <= entry["rouge/rouge"] <= 1 for entry in logs), "log_metric: the metric's own value"
    assert all(entry[f"{rewards[1].__name__}/bertscore"] <= 1 for entry in logs)
    assert all(math.isfinite(entry["reward"]) for entry in logs)


def test_a_wrong_column_stops_before_the_first_step(tiny_llama, tmp_path):
    with pytest.raises(InputError, match=r"unknown column 'reference'.*available: report"):
        train(tiny_llama, tmp_path, [make_reward("rouge")], False, {"report": REPORTS})


def test_names_in_trls_logs():
    from trl.trainer.utils import get_callable_name, is_async_callable

    reward = make_reward({"green": 0.5, "bleu": 0.5})
    assert get_callable_name(reward) == "green+bleu"
    assert not is_async_callable(reward)
