"""Judges through `ray.data.llm`: the questions that `http:` sends, our readers, one verdict per pair."""

import json

import pytest

from chat_server import ChatServer, Reply

pytestmark = pytest.mark.harness
PAIRS = [("Left pleural effusion.", f"No effusion, MRS{i}.") for i in range(5)]
GOOD = json.dumps({"0": {"corrections": "Left pleural effusion.", "clinical severity": "Urgent error"}})


@pytest.fixture(scope="module", autouse=True)
def stopped():
    yield
    import ray

    ray.shutdown()


def judged(make_backend, behave, monkeypatch):
    """Return the verdicts of the pairs, and the bodies that the server got."""
    from radeval_core.judges.engine import judge_pairs
    from radeval_core.judges.fineradscore.instructions import FineRadInstructions
    from radeval_core.judges.model_judge import ModelJudge

    with ChatServer(behave) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        verdicts = judge_pairs(ModelJudge(FineRadInstructions(), make_backend()), PAIRS, progress=False)
    return verdicts, {json.dumps(body, sort_keys=True) for _, _, body in server.seen}


def behave(question, nth, body):
    text = json.dumps(body["messages"])
    if "MRS3" in text:
        return Reply(status=500)
    if "MRS2" in text and "nonsense" not in text:
        return Reply("nonsense")
    return Reply(GOOD)


def test_the_http_processor_asks_what_our_backend_asks(monkeypatch):
    from radeval_core.judges.backends.http_backend import openai_backend
    from radeval_core.judges.backends.ray_llm import RayHttpBackend

    ours, asked = judged(lambda: openai_backend("judge", retries=1), behave, monkeypatch)
    theirs, through_ray = judged(lambda: RayHttpBackend("judge", retries=1), behave, monkeypatch)
    assert [v.analysis for v in theirs] == [v.analysis for v in ours]
    assert [bool(v.reason) for v in theirs] == [False, False, False, True, False]
    assert theirs[2].tries == 2  # an answer that cannot be read is asked for again
    assert "HTTP 500" in theirs[3].failure
    assert through_ray == asked  # the same conversations, parameters and JSON schema


def test_a_key_that_is_refused_ends_the_run(monkeypatch):
    from radeval_core.errors import InputError
    from radeval_core.judges.backends.ray_llm import RayHttpBackend

    with pytest.raises(InputError, match=r"judge@127\.0\.0\.1:\d+/v1 does not accept the key"):
        judged(lambda: RayHttpBackend("judge"), lambda *_: Reply(status=401), monkeypatch)


def test_a_server_that_is_gone_is_a_reason(monkeypatch):
    from radeval_core.judges.backends.base import Message, Request
    from radeval_core.judges.backends.ray_llm import RayHttpBackend

    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    ((place, answer),) = RayHttpBackend("judge", retries=1).answers([Request((Message("user", "MRS"),))])
    assert place == 0 and answer.text is None and "cannot be reached" in answer.reason and "MRS" not in answer.reason


def test_the_vllm_processor_takes_our_configuration(tmp_path):
    """vLLM itself needs a GPU. Ray checks the configuration, and the rows have the keys that its stage reads."""
    import ray.data.llm
    from ray.llm._internal.batch.stages.vllm_engine_stage import vLLMEngineStage

    from radeval_core.judges.backends.base import Message, Request
    from radeval_core.judges.backends.ray_llm import RayVllmBackend, _vllm_row, sampling
    from tiny_llama import make_tiny_llama

    folder = make_tiny_llama(tmp_path / "llama", ["Left pleural effusion."])
    backend = RayVllmBackend(str(folder), dtype="bf16", concurrency=2)
    config = backend.config(ray.data.llm)
    assert config.engine_kwargs["dtype"] == "bfloat16" and config.concurrency == 2
    schema = {"type": "object", "anyOf": [{"type": "object"}, {"properties": {"a": {"type": "string"}}}]}
    prompt = backend.prompts.prompt(Request((Message("user", "Effusion."),), max_tokens=8, schema=schema))
    row = _vllm_row({"place": 0, "ids": prompt.ids, "sampling": json.dumps(sampling(prompt))})
    stage = vLLMEngineStage(fn_constructor_kwargs={"task_type": "generate"}, map_batches_kwargs={})
    known = {*stage.get_required_input_keys(), *stage.get_optional_input_keys()}
    assert set(row) - {"place"} <= known and set(stage.get_required_input_keys()) <= set(row)
    assert row["tokenized_prompt"] == list(prompt.ids)
    assert json.loads(row["sampling_params"]["structured_outputs"]["json"]) == schema
