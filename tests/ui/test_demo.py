"""The demos, called as a visitor's browser or program calls them."""

import contextlib
import json
import logging
import math
import urllib.request

import pytest
import yaml
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from radeval_core import load
from radeval_core.api import LoadedMetric
from radeval_core.errors import InputError
from radeval_core.hub.publish import front_matter
from radeval_core.patient_context import CONTEXT_FIELDS
from radeval_core.registry import get_spec, metric_names, scorer_class
from radeval_core.ui.examples import EXAMPLES

pytestmark = pytest.mark.e2e

NAMES = metric_names()


def context_fields_of(name):
    return CONTEXT_FIELDS if scorer_class(name).uses_context else ()


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global build_demo, demo_options, gradio, JUDGES, launch, MAX_CHARACTERS
    import gradio

    from radeval_core.ui.demo import MAX_CHARACTERS, build_demo, demo_options, launch
    from radeval_core.ui.page import JUDGES


@contextlib.contextmanager
def served(name):
    """Serve a metric's demo; yield a client and the address."""
    demo = build_demo(name)
    try:
        _, url, _ = launch(demo, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
        yield Client(url, verbose=False), url
    finally:
        demo.close(verbose=False)


@pytest.fixture(scope="module")
def pages():
    """Serve every demo."""
    with contextlib.ExitStack() as stack:
        yield {name: stack.enter_context(served(name)) for name in NAMES}


def score(page, reference, candidate):
    return page[0].predict(reference, candidate, api_name="/score")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("example", EXAMPLES[::3], ids=[e.label for e in EXAMPLES[::3]])
def test_the_page_has_the_scores_of_the_api(name, example, pages):
    headline, extras, signature, _ = score(pages[name], example.reference, example.candidate)
    result = load(name, **demo_options(get_spec(name))).compute([example.candidate], [example.reference])
    assert headline == result[name]
    numbers = {key: value for key, value in result.items() if isinstance(value, float) and key != name}
    assert dict(extras["data"]) == {key: None if math.isnan(value) else value for key, value in numbers.items()}
    assert signature == result["signature"]


@pytest.mark.parametrize("name", NAMES)
def test_the_python_code_returns_the_score_of_the_page(name, pages, root):
    reference, candidate = 'A "quoted" \\ line.\nNo effusion; l\'épanchement.', EXAMPLES[0].candidate
    headline, _, _, code = score(pages[name], reference, candidate)
    setup, call = code.replace("radeval/", f"{root}/metrics/").split("\n")
    names: dict = {}
    exec(setup, names)
    assert eval(call, names) == headline


@pytest.mark.parametrize("name", NAMES)
def test_the_endpoints_are_typed_and_the_only_ones(name, pages):
    api = pages[name][0].view_api(return_format="dict", print_info=False)
    named = ["/score", "/errors", "/score_file"] if name in JUDGES else ["/score", "/score_file"]
    assert list(api["named_endpoints"]) == named and not api["unnamed_endpoints"]
    parameters = api["named_endpoints"]["/score"]["parameters"]
    assert [(p["parameter_name"], p["type"]["type"], p["parameter_has_default"]) for p in parameters] == [
        ("reference", "string", False),
        ("candidate", "string", False),
        ("config", "string", True),
        *((field, "string", True) for field in context_fields_of(name)),
    ]
    parameters = api["named_endpoints"]["/score_file"]["parameters"]
    assert [(p["parameter_name"], p["parameter_has_default"]) for p in parameters] == [
        ("file", False),
        ("config", True),
    ]
    headline = api["named_endpoints"]["/score"]["returns"][0]
    assert headline["type"]["type"] == "number"
    assert get_spec(name).range_text in headline["label"] and "is better" in headline["label"]


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_candidate_follows_the_metrics_rule(name, pages):
    rule, value = get_spec(name).empty, score(pages[name], EXAMPLES[0].reference, " ")[0]
    assert value >= rule.prediction if rule.at_least else value == rule.prediction


@pytest.mark.parametrize(
    ("reference", "candidate", "message"),
    [
        ("a" * 20_001, "x", "the reference has 20,001 characters; the maximum here is 20,000"),
        ("x", "a" * 20_001, "the candidate has 20,001 characters; the maximum here is 20,000"),
        ("", " \n", "both reports are empty"),
    ],
)
def test_a_pair_that_cannot_be_scored_shows_why(reference, candidate, message, pages):
    with pytest.raises(AppError, match=message):
        score(pages["bleu"], reference, candidate)


def test_text_of_the_longest_length_is_scored(pages):
    assert score(pages["bleu"], "a " * (MAX_CHARACTERS // 2), "a " * (MAX_CHARACTERS // 2))[0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("error", "shown"),
    [(RuntimeError("zebra"), "this pair could not be scored"), (InputError("<b>bad</b>"), "&lt;b&gt;bad&lt;/b&gt;")],
)
def test_a_failure_shows_neither_reports_nor_markup(error, shown, pages, monkeypatch, capfd, caplog):
    def fail(*args, **options):
        raise error

    monkeypatch.setattr(LoadedMetric, "compute", fail)
    with pytest.raises(AppError, match=shown):
        score(pages["bleu"], "zebra", "zebra")
    out, err = capfd.readouterr()
    assert "zebra" not in out + err + caplog.text


@pytest.mark.parametrize("name", NAMES)
def test_reports_are_not_logged(name, pages, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    score(pages[name], "A zebra stands on the left hilum.", "No zebra.")
    out, err = capfd.readouterr()
    assert "zebra" not in out + err + caplog.text


def test_a_file_is_not_logged(pages, tmp_path, capfd, caplog):
    caplog.set_level(logging.DEBUG)
    for rows in ('{"prediction": "A zebra.", "reference": "No zebra."}\n', '{"prediction": "A zebra."}\n'):
        path = tmp_path / "pairs.jsonl"
        path.write_text(rows)
        with contextlib.suppress(AppError):
            pages["bleu"][0].predict(handle_file(str(path)), api_name="/score_file")
    out, err = capfd.readouterr()
    assert "zebra" not in out + err + caplog.text


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_no_analytics_no_history_and_shows_reports_as_plain_text(name, pages):
    with urllib.request.urlopen(pages[name][1] + "config") as answer:
        config = json.load(answer)
    assert config["analytics_enabled"] is False and config["run_history"] is False
    # inputs and outputs of the endpoint are only in components that show text as text
    kinds = {c["id"]: c["type"] for c in config["components"]}
    (event,) = [d for d in config["dependencies"] if d["api_name"] == "score"]
    context = ["textbox"] * len(context_fields_of(name))
    assert [kinds[i] for i in event["inputs"]] == ["textbox", "textbox", "dropdown", *context]
    assert [kinds[i] for i in event["outputs"]] == ["number", "dataframe", "textbox", "code"]


def test_the_card_of_every_space_names_the_gradio_it_is_tested_with(root):
    for name in NAMES:
        card = root / "metrics" / name / "README.md"
        assert front_matter(card.read_text("utf-8"), card)["sdk_version"] == gradio.__version__


def test_the_page_of_a_corpus_metric_says_where_it_counts_words(pages):
    with urllib.request.urlopen(pages["cider"][1] + "config") as answer:
        texts = [c["props"].get("value") for c in json.load(answer)["components"] if c["type"] == "markdown"]
    assert "counts words in the 14 reports of its examples" in texts[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_texts_of_its_space(name, pages, root):
    words = yaml.safe_load((root / "spaces" / name / "space.yaml").read_text("utf-8"))
    with urllib.request.urlopen(pages[name][1] + "config") as answer:
        components = json.load(answer)["components"]
    (top, *_) = [c["props"]["value"] for c in components if c["type"] == "markdown"]
    assert top.startswith(f"# {words['title']}\n") and top.endswith(words["how"])
    assert any(c["type"] == "uploadbutton" for c in components) == words.get("film", False)


def test_a_program_gets_the_named_errors(pages):
    found = pages["green"][0].predict("Small left effusion.", "Small right effusion.", api_name="/errors")
    assert found["significant"]["wrong_location"]["entries"][0]["text"] == "left pleural effusion: right for left"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_its_own_head_and_card(name, pages):
    with urllib.request.urlopen(pages[name][1]) as answer:
        head = answer.read().decode().partition("</head>")[0]
    assert "header-image" not in head and "Click to try out" not in head
    assert head.count("<title>") == 1 and 'rel="icon" type="image/svg+xml" href="data:' in head


def test_what_a_client_calls_its_host_is_no_markup():
    from radeval_core.ui.page_head import describe_page, page_of, social_card, with_head

    describe_page("zebra", "radeval: zebra", "A <b>title</b>", "About it.")
    page = b"<html><head><script>window.gradio_config = {}</script></head></html>"
    shown = with_head(page, "/zebra/", "example.org:80", True).decode()
    assert 'content="https://example.org:80/zebra/social-card.png"' in shown and "&lt;b&gt;" in shown
    hostile = with_head(page, "/zebra/", 'x"><script>', False).decode()
    assert "og:image" not in hostile and "<script>window" in hostile and 'x"><script>' not in hostile
    assert with_head(b"<html>", "/zebra/", "x", False) == b"<html>"
    assert social_card(page_of("/zebra/social-card.png")).startswith(b"\x89PNG")
