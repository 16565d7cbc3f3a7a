import pytest

from radeval_core.errors import InputError
from radeval_core.judges.backends import http_backend, transformers_backend, vllm_backend
from radeval_core.judges.backends.select import make_backend, split_name
from radeval_core.scorer import Resources


@pytest.mark.parametrize(
    "wanted, expected",
    [
        ("StanfordAIMI/GREEN-radllama2-7b", ("transformers", "StanfordAIMI/GREEN-radllama2-7b")),
        ("transformers:org/model", ("transformers", "org/model")),
        ("vllm:org/model", ("vllm", "org/model")),
        ("http:gpt-4", ("http", "gpt-4")),
        ("http:llama3:8b", ("http", "llama3:8b")),
        ("anthropic:some-model", ("anthropic", "some-model")),
        ("./folder", ("transformers", "./folder")),
    ],
)
def test_names(wanted, expected):
    assert split_name(wanted) == expected


def test_a_folder_may_have_a_colon_in_its_name(tmp_path):
    folder = tmp_path / "http:x"
    folder.mkdir()
    assert split_name(str(folder)) == ("transformers", str(folder))


@pytest.mark.parametrize(
    "wanted, message",
    [
        ("htpp:gpt-4", "unknown backend 'htpp': did you mean 'http'"),
        ("http:", "names no model: write http:MODEL"),
        ("http://localhost:8000/v1", "address of the server in OPENAI_BASE_URL"),
        ("transformers:", "write transformers:MODEL"),
    ],
)
def test_bad_names_say_what_to_type(wanted, message):
    with pytest.raises(InputError, match=message):
        split_name(wanted)


def test_options_reach_the_backend_and_none_stands_for_its_default(monkeypatch):
    made = []
    monkeypatch.setattr(transformers_backend, "transformers_backend", lambda *a, **k: made.append((a, k)))
    monkeypatch.setattr(vllm_backend, "vllm_backend", lambda *a, **k: made.append((a, k)))
    monkeypatch.setattr(http_backend, "openai_backend", lambda *a, **k: made.append((a, k)))
    monkeypatch.setattr(http_backend, "anthropic_backend", lambda *a, **k: made.append((a, k)))
    resources = Resources(device="cpu", batch_tokens=99)
    make_backend("org/model", resources, dtype="bf16", gguf_file=None)
    make_backend("vllm:org/model", resources, dtype=None)
    make_backend("http:gpt-4", resources, concurrency=3)
    make_backend("anthropic:m", resources)
    assert made == [
        (("org/model",), {"device": "cpu", "batch_tokens": 99, "dtype": "bf16"}),
        (("org/model",), {}),
        (("gpt-4",), {"concurrency": 3}),
        (("m",), {}),
    ]


def test_an_option_of_another_backend_is_refused():
    with pytest.raises(InputError, match="unknown option of the http backend 'dtype'"):
        make_backend("http:gpt-4", Resources(), dtype="bf16")


def test_a_missing_key_is_said_when_the_backend_is_made(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY"):
        make_backend("anthropic:m", Resources())
