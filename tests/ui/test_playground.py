"""The playground: its scale, its results for a pair, and its endpoints."""

import math

import pytest
from gradio_client import Client

from radeval_core import load
from radeval_core.registry import get_spec, metric_names
from radeval_core.score_scale import goodness, scale_text
from radeval_core.ui.examples import EXAMPLES

pytestmark = pytest.mark.e2e  # the embedded encoder is a real model

NAMES = metric_names()
REFERENCE = "Small left pleural effusion. The heart is mildly enlarged. No pneumothorax."
HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)> Small left pleural effusion.'


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global bars, build_playground, CHANGES, compare_pairs, demo_options, disagreement, errors_noticed, explain_pair
    global launch, MAX_CHARACTERS, MetricReading, noticed_table, perturb_report, read_pairs
    from radeval_core.ui.demo import MAX_CHARACTERS, demo_options, launch
    from radeval_core.ui.playground.drawing import bars, disagreement, noticed_table
    from radeval_core.ui.playground.metric_readings import MetricReading, errors_noticed, read_pairs
    from radeval_core.ui.playground.page import CHANGES, build_playground, compare_pairs, explain_pair, perturb_report


def api_score(name, reference, candidate):
    return load(name, **demo_options(get_spec(name))).compute([candidate], [reference])["scores"][0]


# the common scale


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("bleu", 0.25, 0.25),
        ("cider", 10.0, 1.0),
        ("cider", 2.5, 0.25),
        ("bertscore", 0.9, 0.9),
        ("bertscore", -0.3, 0.0),
        ("fineradscore", 0.0, 1.0),
        ("fineradscore", 4.0, 0.5),
        ("fineradscore", 12.0, 0.25),
    ],
)
def test_the_scale_by_hand(name, value, expected):
    assert goodness(get_spec(name), value) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_identical_reports_map_to_1_and_better_scores_map_higher(name):
    spec = get_spec(name)
    assert goodness(spec, spec.identity) == pytest.approx(1)
    step = 0.1 if spec.higher_is_better else -0.1
    worse, bad = spec.identity - step, spec.identity - 2 * step
    assert 1 > goodness(spec, worse) > goodness(spec, bad) >= 0
    assert math.isnan(goodness(spec, math.nan))
    assert scale_text(spec)


# results for a pair


def test_every_metric_has_the_score_of_the_api():
    pairs = [(e.reference, e.candidate) for e in EXAMPLES]
    for (reference, candidate), readings in zip(pairs, read_pairs(pairs), strict=True):
        assert [r.metric for r in readings] == list(NAMES)
        for reading in readings:
            assert reading.raw == pytest.approx(api_score(reading.metric, reference, candidate), abs=1e-6)


def test_an_error_is_noticed_by_the_metrics_that_read_findings():
    (error,) = errors_noticed(REFERENCE, REFERENCE.replace("left", "right"))
    assert error.correction.after == "Small left pleural effusion."
    assert error.gains["green"] > 0.1 and error.gains["ffl_rq"] > 0.1 and error.gains["fineradscore"] > 0.1
    # after the correction the candidate equals the reference, so every metric rises to 1
    whole = {r.metric: r.goodness for r in read_pairs([(REFERENCE, REFERENCE.replace("left", "right"))])[0]}
    assert all(gain == pytest.approx(1 - whole[name], abs=1e-6) for name, gain in error.gains.items())


def test_equal_reports_have_no_error_to_notice():
    assert errors_noticed(REFERENCE, REFERENCE) == []
    assert "sees no difference" in noticed_table([], NAMES)


def test_a_pair_that_cannot_be_scored_does_not_affect_others_in_its_batch():
    ((first, second, third),) = compare_pairs(["", REFERENCE, "a" * (MAX_CHARACTERS + 1)], [" ", REFERENCE, "b"])
    assert first == [] and third == []
    assert [row[3] for row in second] == pytest.approx([1.0] * len(NAMES), abs=1e-6)


def test_disagreement_names_both_sides():
    readings = [
        MetricReading("bleu", 0.9, 0.9, ""),
        MetricReading("green", 0.2, 0.2, ""),
        MetricReading("rouge", math.nan, math.nan, ""),
    ]
    assert "disagree by 0.70. Higher: bleu. Lower: green." in disagreement(readings)
    assert "agree" in disagreement(readings[:1]) and disagreement(readings[2:]) == ""


def test_bars_show_the_score_before_and_unscored_metrics():
    readings = [MetricReading("bleu", 0.5, 0.5, ""), MetricReading("rouge", math.nan, math.nan, "")]
    drawn = bars(readings, [0.75, math.nan])
    assert "left:75.0%" in drawn and "-0.25" in drawn and "not scored" in drawn
    assert "before the last change" not in bars(readings, None)


def test_reports_are_shown_as_text():
    shown = explain_pair(REFERENCE, HOSTILE.replace("left", "right"))
    assert "<script" not in shown and "<img" not in shown


def test_each_button_changes_a_report_or_says_it_cannot():
    for kind in CHANGES.values():
        assert perturb_report(REFERENCE, kind) != REFERENCE, kind
        assert perturb_report("zzz", kind) == "zzz" or kind == "insertion", kind


# the endpoints


@pytest.fixture(scope="module")
def client():
    demo = build_playground()
    try:
        _, url, _ = launch(demo, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
        yield Client(url, verbose=False)
    finally:
        demo.close(verbose=False)


def test_the_endpoints_are_named_and_typed(client):
    api = client.view_api(return_format="dict", print_info=False)
    assert sorted(api["named_endpoints"]) == ["/compare", "/explain", "/perturb"]
    assert not api["unnamed_endpoints"]
    names = [p["parameter_name"] for p in api["named_endpoints"]["/perturb"]["parameters"]]
    assert names == ["report", "kind", "seed"]


def test_a_program_gets_the_scores_of_the_api(client):
    example = EXAMPLES[2]
    table = client.predict(example.reference, example.candidate, api_name="/compare")
    rows = {row[0]: row for row in table["data"]}
    assert list(rows) == list(NAMES)
    for name, row in rows.items():
        assert row[1] == pytest.approx(api_score(name, example.reference, example.candidate), abs=1e-6)
        assert row[4].startswith(f"{name}|config:embedded|")


def test_many_programs_at_once_each_get_their_own_pair(client):
    jobs = {}
    for i in range(12):
        candidate = REFERENCE.replace("Small", ("Small", "Moderate", "Large")[i % 3]) + f" Study {i}."
        jobs[candidate] = client.submit(REFERENCE, candidate, api_name="/compare")
    for candidate, job in jobs.items():
        rows = {row[0]: row[1] for row in job.result()["data"]}
        for name in ("rouge", "bertscore", "green"):
            assert rows[name] == pytest.approx(api_score(name, REFERENCE, candidate), abs=1e-6)


def test_a_program_can_perturb(client):
    assert "right" in client.predict(REFERENCE, "side", 0, api_name="/perturb")
