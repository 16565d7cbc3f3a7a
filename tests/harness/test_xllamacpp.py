"""`http:` against a real server: llama.cpp in a wheel (xllamacpp) with SmolLM2, which enforces JSON schemas."""

import json

import pytest

pytestmark = pytest.mark.harness
SCHEMA = {
    "type": "object",
    "properties": {"errors": {"type": "integer", "minimum": 0, "maximum": 9}, "side": {"enum": ["left", "right"]}},
    "required": ["errors", "side"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def server(root):
    """Return the address of a server that runs as long as the tests of this file."""
    import sys
    from pathlib import Path

    import xllamacpp

    sys.path.insert(0, str(root / "tests" / "judges"))
    try:
        from smollm2 import smollm2_folder
    finally:
        sys.path.pop(0)
    (weights,) = Path(smollm2_folder()).glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    running = xllamacpp.Server(params)
    yield running.listening_address
    del running


@pytest.fixture
def backend(server, monkeypatch):
    from radeval_core.judges.backends.http_backend import openai_backend

    monkeypatch.setenv("OPENAI_BASE_URL", f"{server}/v1")
    return openai_backend("smollm2", concurrency=1, timeout=300)


def ask(backend, schema):
    from radeval_core.judges.backends.base import Message, Request

    question = "How many errors has the report 'Left effusion' if the right side is meant? Explain."
    ((_, answer),) = backend.answers([Request((Message("user", question),), max_tokens=40, schema=schema)])
    return answer


def test_a_schema_is_enforced_and_the_tokens_are_counted(backend):
    answer = ask(backend, SCHEMA)
    found = json.loads(answer.text)
    assert set(found) == {"errors", "side"} and found["side"] in ("left", "right") and 0 <= found["errors"] <= 9
    assert answer.prompt_tokens > 10 and answer.answer_tokens > 5
    assert not backend._without  # the server took every parameter, the schema too


def test_without_a_schema_the_same_question_is_answered_in_prose(backend):
    with pytest.raises(ValueError):
        json.loads(ask(backend, None).text)


def test_a_judge_that_needs_json_reads_every_answer(root, server, tmp_path, monkeypatch, capsys):
    """The answers of so small a model mean nothing, but each follows the schema, so each pair has a score."""
    from radeval_core import cli

    monkeypatch.setenv("OPENAI_BASE_URL", f"{server}/v1")
    rows = [{"id": i, "prediction": "Left effusion.", "reference": f"Right effusion {i}."} for i in range(2)]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["examples=none", "concurrency=1", "timeout=600"]
    command = ["score", str(tmp_path / "pairs.jsonl"), "--metrics", "fineradscore", "--json", "--quiet"]
    command += [
        "--config",
        "fineradscore=http:smollm2",
        *(t for o in options for t in ("--option", f"fineradscore.{o}")),
    ]
    assert cli.main(command) == 0
    found = json.loads(capsys.readouterr().out)["fineradscore"]
    assert (found["n"], found["unscored"]) == (2, 0)
    assert f"smollm2@{server.removeprefix('http://')}/v1" in found["signature"]
