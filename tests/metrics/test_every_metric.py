"""What holds for every metric, now and later: each folder of metrics/ is found and held to what it declares."""

import ast
import dataclasses
import doctest
import importlib.metadata
import inspect
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from packaging.requirements import Requirement

import radeval_core
from radeval_core import load, metric_names, pairs, runner, score
from radeval_core.errors import InputError
from radeval_core.metric_help import compute_options
from radeval_core.metrics.spec import MetricSpec
from radeval_core.registry import get_spec, scorer_class
from radeval_core.ui.space_page import read_page
from write_metric_docs import with_options

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted(p.name for p in (ROOT / "metrics").iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))
CARD_SECTIONS = [
    "What it measures",
    "How to use",
    "How to read it",
    "Range and direction",
    "Values from papers",
    "Limits",
    "Parity",
    "Citation",
]
every_metric = pytest.mark.parametrize("name", FOLDERS)
TOLERANCE = 1e-5

# Distinct reports of at least four words, so that every n-gram length exists.
REPORTS = [
    "The heart is normal in size. The lungs are clear.",
    "Large right pleural effusion with compressive atelectasis of the right lower lobe.",
    "There is no pneumothorax, focal consolidation or pleural effusion.",
    "Stable 4 mm calcified nodule in the left upper lobe.",
    "Endotracheal tube tip projects 3.5 cm above the carina.",
]
CANDIDATES = [
    "Heart size is normal and both lungs are clear.",
    "New small left pleural effusion. Right lower lobe atelectasis.",
    "No pneumothorax. There is a focal consolidation with an effusion in the right base.",
    "Stable 4 mm calcified nodule in the left upper lobe.",
    "Lines and tubes are in a satisfactory position.",
]


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global evaluate, ReportMetric
    import evaluate

    from radeval_core.evaluate_module import ReportMetric


def as_json(result):
    """Return a result as text: a part that does not apply is NaN, which equals nothing."""
    return json.dumps(result)


@pytest.fixture(scope="module")
def modules():
    return {name: evaluate.load(str(ROOT / "metrics" / name)) for name in FOLDERS}


def test_folders_and_registry_agree():
    assert tuple(FOLDERS) == metric_names()


# --- what it declares


def test_no_property_can_be_left_undeclared():
    for field in dataclasses.fields(MetricSpec):
        assert field.default is dataclasses.MISSING, f"{field.name} must not have a default"
        assert field.default_factory is dataclasses.MISSING


@every_metric
def test_every_property_is_declared(name):
    spec = get_spec(name)
    assert spec.name == name
    for field in dataclasses.fields(MetricSpec):
        assert getattr(spec, field.name) is not None, f"{name}: {field.name} is not declared"
    assert isinstance(spec.higher_is_better, bool) and isinstance(spec.symmetric, bool)
    assert spec.version >= 1 and spec.citation.startswith("@") and spec.urls
    assert spec.configs[0].name == "embedded" and not spec.configs[0].checkpoint


# --- the module


@every_metric
def test_evaluate_loads_it_from_its_cache_copy(name, modules):
    module = modules[name]
    assert isinstance(module, ReportMetric) and module.name == name
    assert "evaluate_modules" in inspect.getfile(type(module))


@every_metric
def test_the_module_is_a_short_declaration(name):
    source = (ROOT / "metrics" / name / f"{name}.py").read_text("utf-8")
    assert len(source.splitlines()) <= 30
    (declared,) = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    doc, assignment = declared.body
    assert ast.get_docstring(declared) and isinstance(doc, ast.Expr)
    assert ast.unparse(assignment) == f"metric = {name!r}"


@every_metric
def test_the_modules_help_lists_every_option(name, modules):
    described = re.findall(r"^    (\w+) \(.+?\): (.+)\.$", modules[name].compute.__doc__, flags=re.MULTILINE)
    assert described == [(option, declared.about) for option, declared in compute_options(name).items()]
    assert scorer_class(name).options.keys() <= dict(described).keys()
    assert ("checkpoint" in dict(described)) == get_spec(name).takes_checkpoint


@every_metric
def test_every_option_can_be_given_and_none_means_its_default(name, modules):
    everything = dict.fromkeys(compute_options(name))
    given = as_json(modules[name].compute(predictions=CANDIDATES, references=REPORTS, **everything))
    assert given == as_json(modules[name].compute(predictions=CANDIDATES, references=REPORTS))
    defaults = {key: option.default for key, option in scorer_class(name).options.items()}
    assert as_json(load(name, **defaults).compute(CANDIDATES, REPORTS)) == given
    assert as_json(load(name, **dict.fromkeys(defaults)).compute(CANDIDATES, REPORTS)) == given


@every_metric
def test_options_are_described_in_one_plain_line(name):
    for option in compute_options(name).values():
        assert option.about and "\n" not in option.about and not option.about.endswith(".")
        assert option.default is None or type(option.default) is option.type
        assert option.default is None or not option.choices or option.default in option.choices


@every_metric
def test_every_report_is_checked_once(name, modules, monkeypatch):
    checked = []
    original = pairs.require_string
    monkeypatch.setattr(pairs, "require_string", lambda where, text: checked.append(where) or original(where, text))
    modules[name].compute(predictions=CANDIDATES, references=REPORTS)
    assert sorted(checked) == sorted(f"{side}[{i}]" for side in ("predictions", "references") for i in range(5))
    checked.clear()
    load(name).compute(CANDIDATES, REPORTS)
    assert len(checked) == 10


@every_metric
def test_its_doctest_runs(name, modules, monkeypatch):
    monkeypatch.setattr(evaluate, "load", lambda path: modules[path.removeprefix("radeval/")])
    tests = doctest.DocTestFinder().find(type(modules[name]), name, globs={})
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    results = [runner.run(test) for test in tests]
    assert sum(r.attempted for r in results) > 0 and sum(r.failed for r in results) == 0


# --- what it returns


@every_metric
def test_the_result_has_the_declared_shape_and_plain_values(name, modules):
    spec = get_spec(name)
    result = modules[name].compute(predictions=CANDIDATES, references=REPORTS)
    assert type(result[name]) is float
    assert len(result["scores"]) == len(REPORTS) and all(type(s) is float for s in result["scores"])
    for part in spec.parts:
        assert type(result[part]) is float and len(result[f"{part}_scores"]) == len(REPORTS)
    assert "details" not in result
    assert as_json(json.loads(as_json(result))) == as_json(result)
    if not spec.corpus_headline:
        assert result[name] == pytest.approx(np.mean(result["scores"]), abs=1e-12)


@every_metric
def test_detailed_adds_one_structure_a_pair(name, modules):
    result = modules[name].compute(predictions=CANDIDATES, references=REPORTS, detailed=True)
    assert len(result["details"]) == len(REPORTS)
    assert all(isinstance(d, dict) and d for d in result["details"])
    json.dumps(result)


@every_metric
def test_evaluate_api_and_score_agree(name, modules):
    from_module = modules[name].compute(predictions=CANDIDATES, references=REPORTS)
    assert as_json(load(name).compute(CANDIDATES, REPORTS)) == as_json(from_module)
    scores = score(list(zip(CANDIDATES, REPORTS, strict=True)), [name])
    assert scores.results[name].scores.tolist() == from_module["scores"]
    assert scores.results[name].signature == from_module["signature"]


@every_metric
def test_the_signature_is_complete(name):
    result = load(name).compute(CANDIDATES, REPORTS)
    spec = get_spec(name)
    head, *fields = result["signature"].split("|")
    keys = dict(field.split(":", 1) for field in fields)
    assert head == name
    assert keys["config"] == "embedded" and keys["refs"] == "1"
    assert keys["metric"] == str(spec.version) and keys["core"] == radeval_core.__version__
    assert fields[-1].startswith("core:")
    if "models" in spec.configs[0].extra:
        assert any(re.fullmatch(r".+@[0-9a-f]{8}", value) for value in keys.values()) and keys["dtype"]


# --- declared properties


@every_metric
def test_identity(name):
    result = load(name).compute(REPORTS, REPORTS)
    np.testing.assert_allclose(result["scores"], get_spec(name).identity, atol=TOLERANCE)
    assert result[name] == pytest.approx(get_spec(name).identity, abs=TOLERANCE)


@every_metric
def test_bounds(name):
    low, high = get_spec(name).bounds
    for predictions in (CANDIDATES, REPORTS, REPORTS[::-1], ["Normal."] * 5):
        result = load(name).compute(predictions, REPORTS)
        for value in [result[name], *result["scores"]]:
            assert low is None or value >= low - TOLERANCE
            assert high is None or value <= high + TOLERANCE


@every_metric
def test_identity_is_the_best_score(name):
    spec = get_spec(name)
    sign = 1 if spec.higher_is_better else -1
    same, other = load(name).compute(REPORTS, REPORTS), load(name).compute(CANDIDATES, REPORTS)
    assert sign * same[name] > sign * other[name]


@every_metric
def test_symmetry_is_as_declared(name):
    one, other = load(name).compute(CANDIDATES, REPORTS), load(name).compute(REPORTS, CANDIDATES)
    same = np.allclose(one["scores"], other["scores"], atol=TOLERANCE)
    assert same == get_spec(name).symmetric


@every_metric
def test_order_of_pairs_does_not_matter(name):
    order = [3, 0, 4, 2, 1]
    plain = load(name).compute(CANDIDATES, REPORTS)
    mixed = load(name).compute([CANDIDATES[i] for i in order], [REPORTS[i] for i in order])
    np.testing.assert_allclose(mixed["scores"], [plain["scores"][i] for i in order], atol=TOLERANCE)
    assert mixed[name] == pytest.approx(plain[name], abs=TOLERANCE)


@every_metric
def test_batch_size_does_not_matter(name, monkeypatch):
    plain = load(name).compute(CANDIDATES, REPORTS)
    monkeypatch.setattr(runner, "CHUNK_PAIRS", 2)
    for batch_tokens in (1, 40):
        small = load(name, batch_tokens=batch_tokens).compute(CANDIDATES, REPORTS)
        np.testing.assert_allclose(small["scores"], plain["scores"], atol=TOLERANCE)
        assert small["signature"] == plain["signature"]


@every_metric
def test_empty_rule(name):
    rule = get_spec(name).empty
    predictions = [*CANDIDATES, "", REPORTS[0], "", " \n\t ", *CANDIDATES]
    references = [*REPORTS, REPORTS[0], "  ", "", "", *REPORTS]
    scores = load(name).compute(predictions, references)["scores"]
    np.testing.assert_allclose(scores[7:9], [rule.both] * 2, atol=TOLERANCE)
    # and no row moved: the same pairs before and after the empty ones score the same
    np.testing.assert_allclose(scores[:5], scores[9:], atol=TOLERANCE)


@every_metric
def test_the_empty_rule_holds_for_every_sample_report(name, example_pairs):
    rule = get_spec(name).empty
    texts = list(dict.fromkeys(text for pair in example_pairs for text in (pair["prediction"], pair["reference"])))
    texts = [text for text in texts if text.strip()]
    no_prediction = np.array(load(name).compute([""] * len(texts), texts)["scores"])
    no_reference = np.array(load(name).compute(texts, [" \n"] * len(texts))["scores"])
    for scores, value in ((no_prediction, rule.prediction), (no_reference, rule.reference)):
        expected = np.maximum(scores, value) if rule.at_least else np.full(len(texts), value)
        np.testing.assert_allclose(scores, expected, atol=TOLERANCE)


@every_metric
def test_unusual_reports(name):
    texts = [
        "A" * 100_000,
        "word " * 20_000,
        "\0\x0b\u2028\u202e",
        "😀 ﷽ 左肺 Ödem",
        "<b>&amp;|{}[MASK]</s>",
        "\r\n",
        "1",
        *REPORTS,
    ]
    result = load(name).compute(texts, texts[::-1])
    scores = np.array(result["scores"])
    # what the findings parser cannot read is unscored, never a number
    unread = np.array(result.get("coverage", np.ones(len(texts)))) == 0.0
    assert len(scores) == len(texts) and not np.isinf(scores).any()
    assert np.isnan(scores).tolist() == unread.tolist() and result["unscored"] == unread.sum()


@every_metric
def test_only_empty_reports(name):
    rule = get_spec(name).empty
    result = load(name).compute(["", ""], ["", "\n"])
    np.testing.assert_allclose(result["scores"], [rule.both] * 2, atol=TOLERANCE)
    assert not math.isinf(result[name])


@every_metric
def test_several_references(name):
    spec = get_spec(name)
    references = [[report, candidate] for report, candidate in zip(REPORTS, CANDIDATES, strict=True)]
    if not spec.multi_reference:
        with pytest.raises(InputError, match=rf"^references\[0\] is a list: {name} takes one reference"):
            load(name).compute(CANDIDATES, references)
        return
    result = load(name).compute(CANDIDATES, references)
    assert "|refs:2|" in result["signature"]
    single = load(name).compute(CANDIDATES, REPORTS)
    assert result[name] > single[name], "the prediction itself among the references must help"
    assert "|refs:1-2|" in load(name).compute(CANDIDATES, [*references[:4], REPORTS[4]])["signature"]


# --- bad input, with the exact words

BAD_INPUT = [
    (["a", "b", "c"], ["a"] * 4, "predictions and references must have the same length: got 3 and 4"),
    ([], [], "predictions and references are empty: give at least one pair of reports"),
    ("abc", ["a"], "predictions must be a list of reports, got a single string: write predictions=[report]"),
    (["a"], "abc", "references must be a list of reports, got a single string: write references=[report]"),
    (7, ["a"], "predictions must be a list of reports, got int"),
    (["a", "b", None], ["a", "b", "c"], "predictions[2] must be a string, got None"),
    (["a", "b"], ["a", None], "references[1] must be a string, got None"),
    (["a", 3], ["a", "b"], "predictions[1] must be a string, got int"),
    (["a", "b"], ["a", 2.5], "references[1] must be a string, got float"),
    ([["a"], "b"], ["a", "b"], "predictions[0] must be a string, got list"),
    (["a\ud83d"], ["a"], "predictions[0] is not valid Unicode text: character 1 is a lone surrogate"),
    (["a"], ["b\udc00c"], "references[0] is not valid Unicode text: character 1 is a lone surrogate"),
]


@every_metric
@pytest.mark.parametrize("predictions, references, message", BAD_INPUT)
def test_bad_input_is_named(name, modules, predictions, references, message):
    with pytest.raises(InputError) as from_module:
        modules[name].compute(predictions=predictions, references=references)
    with pytest.raises(InputError) as from_api:
        load(name).compute(predictions, references)
    assert str(from_module.value) == str(from_api.value) == message


@every_metric
def test_bad_references_in_lists_are_named(name):
    if get_spec(name).multi_reference:
        with pytest.raises(InputError, match=r"^references\[1\]\[1\] must be a string, got None$"):
            load(name).compute(["a", "b"], [["a"], ["b", None]])
        with pytest.raises(InputError, match=r"^references\[0\] is an empty list: give at least one reference report$"):
            load(name).compute(["a"], [[]])


@every_metric
def test_after_bad_input_it_still_works(name, modules):
    before = as_json(modules[name].compute(predictions=CANDIDATES, references=REPORTS))
    with pytest.raises(InputError):
        modules[name].compute(predictions=["a"], references=[None])
    with pytest.raises(InputError):
        modules[name].compute(predictions=["a"])
    assert as_json(modules[name].compute(predictions=CANDIDATES, references=REPORTS)) == before


@every_metric
def test_unknown_config_and_option(name, modules):
    folder = str(ROOT / "metrics" / name)
    with pytest.raises(InputError, match=f"unknown config of {name} 'embeded': did you mean 'embedded'"):
        evaluate.load(folder, "embeded")
    with pytest.raises(InputError, match=f"unknown option of {name} 'detail': did you mean 'detailed'"):
        modules[name].compute(predictions=["a"], references=["a"], detail=True)
    with pytest.raises(InputError, match=f"unknown option of {name} 'nonsense'"):
        load(name, nonsense=1)


# --- card and requirements


def front_matter(card: str) -> dict:
    return yaml.safe_load(card.split("---\n")[1])


@every_metric
def test_the_card_has_its_sections_and_front_matter(name):
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    assert re.findall(r"^## (.+)$", card, flags=re.MULTILINE) == CARD_SECTIONS
    matter = front_matter(card)
    assert {"title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "app_file", "tags"} <= set(matter)
    assert matter["sdk"] == "gradio" and matter["app_file"] == "app.py"
    assert matter["sdk_version"] == importlib.metadata.version("gradio")
    assert {"evaluate", "metric"} <= set(matter["tags"])


@every_metric
def test_the_card_examples_print_what_stands_below_them(name, modules, monkeypatch, capsys):
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", card, flags=re.DOTALL)
    assert blocks and "compute(" in card.split("## How to read it")[0]
    monkeypatch.setattr(evaluate, "load", lambda path, *config: modules[path.removeprefix("radeval/")])
    for code, printed in blocks:
        exec(compile(code, f"{name} card", "exec"), {})
        assert capsys.readouterr().out.strip() == printed.strip()


@every_metric
def test_the_card_lists_the_declared_options(name):
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    assert card == with_options(card, name), "run python tools/write_metric_docs.py"


@every_metric
def test_signatures_in_the_card_are_of_today(name, modules):
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    shown = re.findall(rf"`({name}\|config:embedded\|[^`]+)`", card)
    now = modules[name].compute(predictions=REPORTS[:1], references=REPORTS[:1])["signature"]
    for signature in shown:
        fields, expected = (dict(part.split(":", 1) for part in s.split("|")[1:]) for s in (signature, now))
        assert set(fields) == set(expected) and fields["metric"] == expected["metric"], signature
        assert fields.get("lexicon") == expected.get("lexicon")


@every_metric
def test_the_card_states_the_declared_range(name):
    spec = get_spec(name)
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    section = card.split("## Range and direction")[1].split("\n## ")[0].lower()
    assert ("higher is better" if spec.higher_is_better else "lower is better") in section
    for bound in spec.bounds:
        assert bound is None or f"{bound:g}" in section
    assert "empty" in section


@every_metric
def test_requirements_name_the_core_and_are_satisfied(name):
    lines = (ROOT / "metrics" / name / "requirements.txt").read_text("utf-8").splitlines()
    core = [Requirement(line) for line in lines if line.startswith("radeval_core")]
    assert len(core) == 1 and core[0].specifier.contains(radeval_core.__version__)
    assert set(filter(None, [get_spec(name).configs[0].extra])) <= core[0].extras
    for text in importlib.metadata.requires("radeval_core"):
        requirement = Requirement(text)
        wanted = requirement.marker is None or any(requirement.marker.evaluate({"extra": e}) for e in core[0].extras)
        if wanted and not requirement.name.startswith("radeval"):
            assert requirement.specifier.contains(importlib.metadata.version(requirement.name), prereleases=True)


@every_metric
def test_it_has_a_space(name):
    page = read_page(ROOT / "spaces" / name / "space.yaml")
    assert page.title and page.how.endswith(".")
