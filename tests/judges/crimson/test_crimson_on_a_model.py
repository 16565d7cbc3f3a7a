"""The metric `crimson` with a local model of the architecture of the published checkpoint, Gemma 3."""

import json
import math

import pytest
from tiny_gemma import make_tiny_gemma

from radeval_core import load
from radeval_core.api import make_resources, make_scorer
from radeval_core.judges.backends import select
from radeval_core.judges.crimson import instructions
from radeval_core.judges.crimson.prompt import build_prompt, sections
from radeval_core.patient_context import PatientContext
from radeval_core.registry import get_spec

REFERENCE, CANDIDATE = "Small left effusion.", "Clear lungs."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    own = tmp_path_factory.mktemp("tiny") / "medgemma"
    return make_tiny_gemma(own, [sections()["task_steps"], REFERENCE, CANDIDATE])


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(instructions, "MAX_ANSWER", 6)
    monkeypatch.setattr(instructions, "MAX_TOTAL", 16_000)


def test_the_question_is_rendered_as_gemma_does(folder):
    backend = select.make_backend(str(folder), device="cpu")
    context = PatientContext("75")
    request = instructions.CrimsonInstructions().request(REFERENCE, CANDIDATE, context)
    ids = backend.prompts.prompt(request).ids
    prompt = build_prompt(REFERENCE, CANDIDATE, {"age": "75"}, guidelines=False)
    assert backend.tokenizer.decode(ids) == (
        f"<bos><start_of_turn>user\n{sections()['system']}\n\n{prompt.strip()}<end_of_turn>\n<start_of_turn>model\n"
    )
    assert sum(i == backend.tokenizer.bos_token_id for i in ids) == 1
    assert backend.decoders[0].ends == {1, 5}


def test_the_config_runs_the_published_checkpoint_with_its_prompt(folder, short, monkeypatch):
    """A tiny random model gives no sensible answer: the pair is unscored, and details contain answer and reason."""
    asked = []
    make = select.make_backend

    def local(source, *args, **options):
        asked.append(source)
        return make(str(folder), *args, **options)

    monkeypatch.setattr(select, "make_backend", local)
    metric = load("crimson", "medgemma-4b", device="cpu")
    result = metric.compute([CANDIDATE], [REFERENCE], detailed=True, contexts=[{"age": "75"}])
    assert asked == ["rajpurkarlab/medgemma-4b-it-crimson"] == [get_spec("crimson").published.checkpoint]
    assert result["unscored"] == 1 and math.isnan(result["crimson"])
    assert "|prompt:crimson-checkpoint-1@" in result["signature"] and "|decoding:greedy" in result["signature"]
    assert "|context:all|" in result["signature"]
    assert result["details"][0]["answer"] and "cut at 6 tokens" in result["details"][0]["reason"]
    assert result["details"][0]["tries"] == 1


def test_a_folder_is_asked_with_the_guidelines_unless_told_otherwise(folder):
    scorers = [
        make_scorer("crimson", str(folder), make_resources(), options)
        for options in ({}, {"instructions": "checkpoint"})
    ]
    assert [scorer.instructions.form for scorer in scorers] == ["guidelines", "checkpoint"]


def test_a_prompt_that_leaves_no_room_is_unscored_with_that_reason(folder, monkeypatch):
    monkeypatch.setattr(instructions, "MAX_TOTAL", 100)
    metric = load("crimson", str(folder), device="cpu", instructions="checkpoint")
    result = metric.compute([CANDIDATE], [REFERENCE], detailed=True)
    assert "prompt and answer together may have 100" in result["details"][0]["reason"]


def test_answers_of_one_patient_are_not_those_of_another():
    """The cache keeps readable answers by the whole question, which contains the context."""
    own = instructions.CrimsonInstructions()
    requests = [
        own.request(REFERENCE, CANDIDATE, context) for context in (None, PatientContext("3"), PatientContext("80"))
    ]
    assert len({json.dumps([m.content for m in request.messages]) for request in requests}) == 3
