import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radeval_core.errors import CheckpointError, InputError, MissingDependencyError
from radeval_core.judges.backends.base import Message, Request
from sample_sentences import SENTENCES
from tiny_llama import make_tiny_llama

SCHEMA = {
    "type": "object",
    "properties": {"line": {"type": "integer", "minimum": 0, "maximum": 9}, "urgent": {"type": "boolean"}},
    "required": ["line", "urgent"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global model_devices, default_dtype, pad_left, torch, transformers_backend, TransformersBackend
    import torch

    from radeval_core.engine.devices import model_devices
    from radeval_core.judges.backends.transformers_backend import (
        TransformersBackend,
        default_dtype,
        pad_left,
        transformers_backend,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_llama(tmp_path_factory.mktemp("tiny-llama"), SENTENCES)


@pytest.fixture(scope="module")
def backend(folder):
    return TransformersBackend(str(folder), device="cpu")


def ask(text, **options):
    return Request((Message("user", text),), **{"max_tokens": 12, **options})


def run(backend, requests):
    found = list(backend.answers(requests))
    assert sorted(i for i, _ in found) == list(range(len(requests)))
    return [answer for _, answer in sorted(found, key=lambda item: item[0])]


words = st.sampled_from(["heart", "lungs", "clear", "effusion", "No", "right", "4 mm", "nodule.", "<1 cm", "\n"])


@settings(max_examples=12, derandomize=True)
@given(texts=st.lists(st.lists(words, max_size=25).map(" ".join), max_size=10), limits=st.lists(st.integers(1, 24)))
def test_a_batch_gives_the_same_answers_as_one_at_a_time(backend, texts, limits):
    requests = [ask(t, max_tokens=limits[i % len(limits)] if limits else 8) for i, t in enumerate(texts)]
    together = run(backend, requests)
    assert together == [run(backend, [request])[0] for request in requests]


def test_batches_are_longest_first_padded_on_the_left_and_within_the_budget(backend, monkeypatch):
    shapes = []
    generate = backend.decoders[0].model.generate

    def watch(input_ids, attention_mask, **kwargs):
        shapes.append(tuple(input_ids.shape))
        assert (attention_mask.diff(dim=1) >= 0).all()
        return generate(input_ids=input_ids, attention_mask=attention_mask, **kwargs)

    monkeypatch.setattr(backend.decoders[0].model, "generate", watch)
    monkeypatch.setattr(backend, "budget", 120)
    texts = [" ".join(SENTENCES[:n]) for n in (1, 3, 2, 1, 1, 2)] + ["heart"]
    run(backend, [ask(t) for t in texts])
    widths = [width for _, width in shapes]
    assert widths == sorted(widths, reverse=True) and len(shapes) > 1
    assert all(rows * (width + 12) <= 120 or rows == 1 for rows, width in shapes)
    assert sum(rows for rows, _ in shapes) == len(set(texts))  # equal prompts are asked once


def test_an_answer_ends_at_its_end_token_and_a_cut_one_has_a_reason(backend, monkeypatch):
    model = backend.decoders[0].model

    def generate(input_ids, **kwargs):
        tail = torch.tensor([[7, 8, 1, 1, 1], [7, 8, 9, 10, 11]])[: len(input_ids)]
        return torch.cat([input_ids, tail], dim=1)

    monkeypatch.setattr(model, "generate", generate)
    short, cut = run(backend, [ask("heart heart", max_tokens=5), ask("heart", max_tokens=4)])
    assert (short.answer_tokens, short.reason) == (3, "")
    assert (cut.answer_tokens, cut.reason) == (4, "the answer was cut at 4 tokens")


def test_end_tokens_of_the_generation_config_count(tmp_path, folder):
    import shutil

    other = shutil.copytree(folder, tmp_path / "other")
    config = json.loads((other / "generation_config.json").read_text())
    (other / "generation_config.json").write_text(json.dumps(config | {"eos_token_id": [1, 77]}))
    assert TransformersBackend(str(other), device="cpu").decoders[0].ends == {1, 77}


def test_prompt_and_answer_together_stay_within_the_limit(backend):
    size = run(backend, [ask("heart")])[0].prompt_tokens
    (answer,) = run(backend, [ask("heart", max_total=size + 5)])
    assert answer.answer_tokens <= 5
    (none,) = run(backend, [ask("heart", max_total=size)])
    assert none.text is None and f"{size} tokens" in none.reason
    (long,) = run(backend, [ask("heart " * 2000)])
    assert long.text is None and "together may have 512" in long.reason  # the model's own limit


def test_running_out_of_memory_halves_the_batch_and_goes_on(backend, monkeypatch, caplog):
    requests = [ask(t) for t in [*SENTENCES, "heart", "lungs clear"]]
    expected = run(backend, requests)
    model = backend.decoders[0].model
    generate, rows = model.generate, []

    def limited(input_ids, **kwargs):
        if len(input_ids) > 2:
            raise torch.OutOfMemoryError("injected")
        rows.append(len(input_ids))
        return generate(input_ids=input_ids, **kwargs)

    monkeypatch.setattr(model, "generate", limited)
    assert run(backend, requests) == expected
    assert max(rows) == 2
    assert "out of memory" in caplog.text and "heart" not in caplog.text


def test_a_prompt_that_never_fits_fails_alone(backend, monkeypatch):
    model = backend.decoders[0].model
    generate = model.generate

    def limited(input_ids, **kwargs):
        if input_ids.shape[1] > 40:
            raise torch.OutOfMemoryError("injected")
        return generate(input_ids=input_ids, **kwargs)

    monkeypatch.setattr(model, "generate", limited)
    short, long = run(backend, [ask("heart"), ask("heart " * 60)])
    assert short.text is not None
    assert long.text is None and "out of memory with a prompt of" in long.reason


def test_any_other_failure_affects_only_its_own_prompt(backend, monkeypatch):
    model = backend.decoders[0].model
    generate = model.generate

    def fragile(input_ids, **kwargs):
        if input_ids.shape[1] > 40:
            raise RuntimeError("injected")
        return generate(input_ids=input_ids, **kwargs)

    monkeypatch.setattr(model, "generate", fragile)
    first, second, third = run(backend, [ask("heart"), ask("heart " * 60), ask("lungs")])
    assert first.text is not None and third.text is not None
    assert second.text is None and second.reason.startswith("decoding failed (RuntimeError)")


def test_an_answer_follows_its_schema_in_a_batch_and_alone(backend):
    requests = [ask(t, schema=SCHEMA, max_tokens=40) for t in SENTENCES] + [ask("no schema")]
    together = run(backend, requests)
    for answer in together[:-1]:
        assert set(json.loads(answer.text)) == {"line", "urgent"}
    assert together == [run(backend, [request])[0] for request in requests]


def test_a_schema_that_cannot_be_enforced_is_an_error(backend):
    with pytest.raises(InputError, match="cannot be enforced"):
        run(backend, [ask("heart", schema={"type": "no such type"})])


def test_a_missing_library_for_schemas_says_what_to_install(backend, monkeypatch):
    monkeypatch.setitem(sys.modules, "xgrammar", None)
    with pytest.raises(MissingDependencyError, match=r"radeval_core\[judges\]"):
        run(backend, [ask("heart", schema=SCHEMA)])


def test_two_copies_share_the_batches(folder, backend):
    two = TransformersBackend(str(folder), device="cpu", batch_tokens=100)
    two.decoders = [two.decoders[0], TransformersBackend(str(folder), device="cpu").decoders[0]]
    requests = [ask(t) for t in SENTENCES]
    assert run(two, requests) == run(backend, requests)


def test_the_identity_names_weights_number_format_and_template(folder, backend, tmp_path):
    import shutil

    assert backend.identity.startswith("transformers|") and "|fp32|greedy|template:" in backend.identity
    assert backend.fields["backend"] == "transformers" and "@" in backend.fields["model"]
    other = shutil.copytree(folder, tmp_path / folder.name)
    (other / "chat_template.jinja").write_text("{{ messages[0]['content'] }}")
    assert TransformersBackend(str(other), device="cpu").identity != backend.identity


def test_a_model_is_loaded_once(folder):
    assert transformers_backend(str(folder), device="cpu") is transformers_backend(str(folder), device="cpu")


def test_bad_sources_and_options_are_clear_errors(folder, tmp_path):
    with pytest.raises(CheckpointError, match="cannot load a checkpoint from folder"):
        TransformersBackend(str(tmp_path), device="cpu")
    with pytest.raises(CheckpointError, match="hf download some-org/no-such-model"):
        TransformersBackend("some-org/no-such-model", device="cpu")
    with pytest.raises(InputError, match="unknown dtype 'int3'"):
        TransformersBackend(str(folder), device="cpu", dtype="int3")
    with pytest.raises(InputError, match="at least 1"):
        TransformersBackend(str(folder), device="cpu", batch_tokens=0)


def test_a_checkpoint_with_missing_tensors_is_an_error(folder, tmp_path):
    import shutil

    from safetensors.torch import load_file, save_file

    broken = shutil.copytree(folder, tmp_path / "broken")
    tensors = load_file(broken / "model.safetensors")
    del tensors["model.layers.1.mlp.up_proj.weight"]
    save_file(tensors, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match="lacks 1 tensors"):
        TransformersBackend(str(broken), device="cpu")


def test_every_gpu_gets_a_copy_unless_one_is_named_or_processes_share_them(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    assert [str(d) for d in model_devices(None)] == ["cuda:0", "cuda:1", "cuda:2"]
    assert [str(d) for d in model_devices("cuda:1")] == ["cuda:1"]
    assert default_dtype(torch.device("cuda")) == "fp16"
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert [str(d) for d in model_devices("cuda")] == ["cuda:1"]
    assert [str(d) for d in model_devices("cpu")] == ["cpu"]


def test_padding_is_on_the_left():
    ids, mask = pad_left([[5, 6], [7]], 0)
    assert ids.tolist() == [[5, 6], [0, 7]]
    assert mask.tolist() == [[1, 1], [0, 1]]


def test_an_interrupt_keeps_the_answers_that_have_ended_inside_the_first_batch(backend, tmp_path):
    """Three prompts of one batch: the shortest answer is on disk before the batch is done."""
    from toy_instructions import ToyInstructions

    from radeval_core.engine.cache import DiskCache
    from radeval_core.judges.model_judge import ModelJudge

    class Reading(ToyInstructions):
        def request(self, reference, candidate, context=None):
            return ask(reference, max_tokens=int(candidate))

        def read(self, reference, candidate, answer):
            return len(answer)

    steps = []
    forward = backend.decoders[0].model.forward

    def watch(*args, **kwargs):
        steps.append(1)
        return forward(*args, **kwargs)

    backend.decoders[0].model.forward = watch
    try:
        verdicts = ModelJudge(Reading(), backend, DiskCache(tmp_path)).verdicts(
            [("heart", "2"), ("lungs", "400"), ("clear", "400")]
        )
        place, _ = next(verdicts)
        verdicts.close()  # as an interrupt does
        taken = len(steps)
    finally:
        backend.decoders[0].model.forward = forward
    assert place == 0 and taken < 399
    asked = []
    backend_answers = backend.answers
    again = ModelJudge(Reading(), backend, DiskCache(tmp_path))
    try:
        backend.answers = lambda requests: asked.append(len(requests)) or backend_answers(requests)
        list(again.verdicts([("heart", "2"), ("lungs", "3")]))
    finally:
        del backend.answers
    assert asked == [1]
