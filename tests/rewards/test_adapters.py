"""verl, OpenRLHF and ms-swift: rewards called as the code of their wheels calls them, line by line."""

import asyncio
import importlib
import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from radeval_core.errors import InputError
from radeval_core.rewards import make_reward
from radeval_core.rewards.ms_swift import make_orm
from radeval_core.rewards.openrlhf import completion_of, make_reward_func
from radeval_core.rewards.single import UnscoredError
from radeval_core.rewards.verl import compute_score

REFERENCE = "Small left pleural effusion. No pneumothorax."
WRONG = "Small right pleural effusion. No pneumothorax."
GERMAN = "Kein Nachweis eines Pleuraergusses."


# verl 0.9.1


def verl_function(settings):
    """Load the function as verl/trainer/ppo/reward.py `get_custom_reward_fn` does for a path that starts with pkg://."""
    path = "pkg://radeval_core.rewards.verl"
    raw = importlib.import_module(path.removeprefix("pkg://").replace("/", ".")).compute_score
    assert not inspect.iscoroutinefunction(raw)

    def call(raw_fn, extra_kwargs, *args, **kwargs):
        return raw_fn(*args, **{**kwargs, **extra_kwargs})

    return partial(call, raw, settings)


async def run_single(function, response, truth, extra_info):
    """Call it as NaiveRewardManager.run_single does: in an executor's thread, and read the answer."""
    loop = asyncio.get_running_loop()
    extra_info["num_turns"] = None
    extra_info["rollout_reward_scores"] = {}
    result = await loop.run_in_executor(
        None,
        lambda: function(data_source="openi", solution_str=response, ground_truth=truth, extra_info=extra_info),
    )
    return {"reward_score": result["score"], "reward_extra_info": dict(result.items())}


def test_verl():
    function = verl_function({"metrics": {"green": 1, "fineradscore": 1}})

    async def several():
        texts = [REFERENCE, WRONG] * 8
        return await asyncio.gather(*(run_single(function, text, REFERENCE, {"age": "75"}) for text in texts))

    answers = asyncio.run(several())
    scores = [answer["reward_score"] for answer in answers]
    expected = make_reward({"green": 1, "fineradscore": 1})([REFERENCE, WRONG], reference=[REFERENCE] * 2)
    assert scores == expected * 8 and all(type(score) is float for score in scores)
    assert answers[0]["reward_extra_info"] == {"score": 1.0, "green": 1.0, "fineradscore": 0.0}
    assert len({tuple(answer["reward_extra_info"]) for answer in answers}) == 1, "verl needs the same keys in every row"


def test_verl_makes_a_reward_once(monkeypatch):
    from radeval_core.rewards import verl

    made = []
    monkeypatch.setattr(verl, "_REWARDS", {})
    monkeypatch.setattr(verl, "make_reward", lambda *a, **k: made.append(a) or make_reward(*a, **k))
    with ThreadPoolExecutor(4) as pool:
        calls = [
            pool.submit(compute_score, "x", REFERENCE, REFERENCE, {}, metrics="bleu", length_guard=2) for _ in range(8)
        ]
        assert {call.result()["score"] for call in calls} == {1.0}
    assert len(made) == 1


def test_verl_with_a_finished_reward_and_with_its_reward_model():
    reward = make_reward("bleu")
    more = {"reward_router_address": "127.0.0.1:1", "reward_model_tokenizer": None}
    assert compute_score("x", REFERENCE, REFERENCE, None, metrics=reward, **more)["score"] == 1.0


def test_verl_needs_a_metric_and_a_number():
    with pytest.raises(InputError, match=r"reward_kwargs\.metrics=radgraph_f1"):
        compute_score("x", REFERENCE, REFERENCE, {})
    with pytest.raises(UnscoredError, match=r"unscored=0\.0"):
        compute_score("x", GERMAN, REFERENCE, {}, metrics="green")
    answer = compute_score("x", GERMAN, REFERENCE, {}, metrics="green", unscored=0.25)
    assert answer["score"] == 0.25 and answer["green"] != answer["green"]
    with pytest.raises(InputError, match="unscored must be a number"):
        compute_score("x", GERMAN, REFERENCE, {}, metrics="green", unscored="zero")
    with pytest.raises(InputError, match=r"reference\[0\] must be a string, got int"):
        compute_score("x", REFERENCE, 3, {}, metrics="green")


# OpenRLHF 0.11.2

FILE = """
from radeval_core.rewards.openrlhf import make_reward_func

reward_func = make_reward_func({"green": 0.5, "bleu": 0.5})
"""


def openrlhf_function(path):
    """Load the function as openrlhf/utils/agent.py does for a --reward.remote_url that ends with .py."""
    spec = importlib.util.spec_from_file_location("reward_func", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.reward_func


def test_openrlhf(tmp_path):
    (tmp_path / "reward.py").write_text(FILE)
    function = openrlhf_function(tmp_path / "reward.py")
    prompt = "<|im_start|>user\nDescribe the film.<|im_end|>\n<|im_start|>assistant\n"

    async def fetch(text):
        return await asyncio.to_thread(function, [f"{prompt}{text}<|im_end|>"], [prompt], [REFERENCE])

    async def several():
        return await asyncio.gather(fetch(REFERENCE), fetch(WRONG))

    best, worse = asyncio.run(several())
    assert best["rewards"] == best["scores"] == pytest.approx(1.0) and type(best["rewards"]) is float
    assert best["extra_logs"].keys() == {"green", "bleu"}
    assert worse["rewards"] < best["rewards"]
    both = function([prompt + REFERENCE, prompt + WRONG], [prompt] * 2, [REFERENCE] * 2)
    assert both["rewards"] == [best["rewards"], worse["rewards"]] == both["scores"]
    assert pickle.loads(pickle.dumps(function))([prompt + WRONG], [prompt], [REFERENCE]) == worse


@pytest.mark.parametrize(
    ("query", "prompt", "report"),
    [
        ("Describe: No effusion.</s>", "Describe:", "No effusion."),
        ("<s>Describe: No effusion.</s></s><pad><pad>", "Describe:", "No effusion."),
        ("<s> Describe: No effusion.<|eot_id|>\n", "Describe:", "No effusion."),
        ("A<|turn|> No effusion. <｜end▁of▁sentence｜>", "A", "No effusion."),
        ("A No <|im_end|> effusion.<end_of_turn>[PAD]", "A", "No <|im_end|> effusion."),
        ("A nodule of < 5 mm, <s>mall", "A", "nodule of < 5 mm, <s>mall"),
        ("AA", "A", "A"),
        ("A", "A", ""),
        ("No effusion.", "", "No effusion."),
    ],
)
def test_the_report_in_a_query(query, prompt, report):
    assert completion_of(query, prompt) == report


def test_special_tokens_of_another_tokenizer():
    assert completion_of("A: No effusion.<END><END>", "A:", ["<END>"]) == "No effusion."
    assert completion_of("A: No effusion.</s><END></s>", "A:", ["<END>"]) == "No effusion."
    with pytest.raises(InputError, match="special_tokens must be a list"):
        make_reward_func("bleu", special_tokens="<END>")


def test_openrlhf_labels():
    function = make_reward_func("crimson")
    label = {"reference": "Free air under the diaphragm.", "indication": "Postoperative day 1 after laparotomy"}
    plain = function(["p Normal."], ["p"], [label["reference"]])["rewards"]
    assert function(["p Normal."], ["p"], [label])["rewards"] > plain
    for empty in ("", None):
        with pytest.raises(InputError, match=r"--data\.label_key"):
            function(["p Normal."], ["p"], [empty])


def test_openrlhf_refuses():
    function = make_reward_func("green")
    with pytest.raises(InputError, match="does not contain its prompt"):
        function(["e film. Normal."], ["Describe the film."], [REFERENCE])
    with pytest.raises(InputError, match="got 1, 2 and 1"):
        function(["a"], ["a", "b"], ["c"])
    with pytest.raises(UnscoredError, match="needs a number"):
        function([f"p {GERMAN}"], ["p"], [REFERENCE])
    assert make_reward_func("green", unscored=0)([f"p {GERMAN}"], ["p"], [REFERENCE])["rewards"] == 0.0


# ms-swift 4.6.0


def test_ms_swift():
    """Make it as swift/rlhf_trainers/utils.py `resolve_reward_funcs` does, call it as grpo_algorithm.py does."""
    orms = {"mine": make_orm({"green": 3, "bleu": 1}, "report")}
    function = orms["mine"](args=object())
    assert callable(function) and not asyncio.iscoroutinefunction(function.__call__)
    assert not inspect.isfunction(function) and function.__class__.__name__ == "0.75*green+0.25*bleu:report"
    columns = {"messages": [[]] * 3, "prompt_id": ["a"] * 3, "finish_reason": [None] * 3, "report": [REFERENCE] * 3}
    output = function([REFERENCE, WRONG, GERMAN], trainer_state=None, **columns)
    assert output[0] == 1.0 and 0 < output[1] < 1 and output[2] is None


def test_ms_swift_takes_a_finished_reward():
    reward = make_reward("bleu")
    assert make_orm(reward)().reward is reward
    with pytest.raises(InputError, match="give length_guard to make_reward"):
        make_orm(reward, length_guard=2)
