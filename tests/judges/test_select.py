import pytest

from radeval_core.api import make_scorer
from radeval_core.errors import InputError
from radeval_core.judges.backends import http_backend, vllm_backend
from radeval_core.judges.backends.select import OPTIONS, make_backend, split_name
from radeval_core.metrics._judged import JudgedScorer
from radeval_core.metrics.base import Resources


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
        ("http:", "contains no model name: write http:MODEL"),
        ("http://localhost:8000/v1", "set OPENAI_BASE_URL to the address of the server"),
        ("transformers:", "write transformers:MODEL"),
    ],
)
def test_bad_names_say_what_to_type(wanted, message):
    with pytest.raises(InputError, match=message):
        split_name(wanted)


def test_options_reach_the_backend_and_none_means_the_default(monkeypatch):
    made = []
    monkeypatch.setattr(
        "radeval_core.judges.backends.transformers_backend.transformers_backend", lambda *a, **k: made.append((a, k))
    )
    monkeypatch.setattr(vllm_backend, "vllm_backend", lambda *a, **k: made.append((a, k)))
    monkeypatch.setattr(http_backend, "openai_backend", lambda *a, **k: made.append((a, k)))
    monkeypatch.setattr(http_backend, "anthropic_backend", lambda *a, **k: made.append((a, k)))
    make_backend("org/model", "cpu", 99, dtype="bf16", gguf_file=None)
    make_backend("vllm:org/model", "cpu", 99, dtype=None)
    make_backend("http:gpt-4", "cpu", 99, concurrency=3)
    make_backend("anthropic:m", "cpu", 99)
    assert made == [
        (("org/model",), {"device": "cpu", "batch_tokens": 99, "dtype": "bf16"}),
        (("org/model",), {}),
        (("gpt-4",), {"concurrency": 3}),
        (("m",), {}),
    ]


def test_an_option_of_another_backend_is_refused():
    with pytest.raises(InputError, match="http: models have no option dtype; they take concurrency, timeout, "):
        make_backend("http:gpt-4", dtype="bf16")


def test_the_judged_metrics_declare_the_options_of_all_backends():
    assert set(JudgedScorer.model_options) == {name for names in OPTIONS.values() for name in names}


@pytest.mark.parametrize("metric", ["green", "fineradscore", "radfact"])
@pytest.mark.parametrize(
    "kind, given",
    [
        ("http", {"concurrency": 2, "timeout": 2.5, "retries": 3, "price_in": 1.0, "price_out": 4.0}),
        ("vllm", {"dtype": "bf16", "tensor_parallel_size": 2}),
        ("transformers", {"dtype": "bf16", "gguf_file": "m.gguf"}),
    ],
)
def test_options_of_a_metric_reach_its_backend(metric, kind, given, monkeypatch):
    made = []
    maker = "openai_backend" if kind == "http" else f"{kind}_backend"
    monkeypatch.setattr(f"radeval_core.judges.backends.{kind}_backend.{maker}", lambda *a, **k: made.append(k))
    asked = {key: str(value) for key, value in given.items()}  # as a command line gives them
    scorer = make_scorer(metric, f"{kind}:org/model", Resources(), asked)
    scorer.warm_up()
    assert {key: value for key, value in made[0].items() if key not in ("device", "batch_tokens")} == given


def test_the_embedded_config_takes_no_option_of_a_model():
    with pytest.raises(InputError, match=r"option green\.timeout is for models: config 'embedded' runs none"):
        make_scorer("green", None, Resources(), {"timeout": 5})


def test_a_missing_key_is_an_error_when_the_backend_is_created(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(InputError, match="ANTHROPIC_API_KEY"):
        make_backend("anthropic:m")
