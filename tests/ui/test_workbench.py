"""The workbench: its scale, its results for a pair, its picture, and its endpoints."""

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
    global build_workbench, CHANGES, chips, compare_pairs, demo_options, errors_noticed, explain_pair, launch
    global mark_report, MAX_CHARACTERS, MetricReading, noticed_list, perturb_report, read_pairs, show_visits, text_key
    global verdict, Visit, picture_link, workbench_options
    from radeval_core.ui.demo import MAX_CHARACTERS, demo_options, launch
    from radeval_core.ui.workbench.chips import chips, text_key, verdict
    from radeval_core.ui.workbench.metric_readings import MetricReading, errors_noticed, read_pairs
    from radeval_core.ui.workbench.noticed import noticed_list
    from radeval_core.ui.workbench.page import (
        CHANGES,
        build_workbench,
        explain_pair,
        mark_report,
        perturb_report,
        workbench_options,
    )
    from radeval_core.ui.workbench.visits import Visit, compare_pairs, picture_link, show_visits


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
    assert [edit.right for edit in error.mark.edits] == ["left"] and error.number == 1
    assert error.gains["green"] > 0.1 and error.gains["ffl_rq"] > 0.1 and error.gains["fineradscore"] > 0.1
    # after the correction the candidate equals the reference, so every metric rises to 1
    whole = {r.metric: r.goodness for r in read_pairs([(REFERENCE, REFERENCE.replace("left", "right"))])[0]}
    assert all(gain == pytest.approx(1 - whole[name], abs=1e-6) for name, gain in error.gains.items())


def test_every_error_is_shown_and_only_an_unmoved_number_is_not_noticed():
    reference = " ".join(f"Nodule of {n} mm in the right upper lobe." for n in (4, 9, 20)) + " " + REFERENCE
    candidate = (
        "Large right pneumothorax. Ascites. Free air. Cardiomegaly. Liver cyst. Rib fracture. Scoliosis. Goiter."
    )
    errors = errors_noticed(reference, candidate)
    assert len(errors) > 6, "more than the six that were once shown"
    html = noticed_list(errors, len(errors))
    assert html.count("<section") == len(errors)
    for error in errors:
        moved = {n for n in NAMES if abs(error.after[n].raw - error.before[n].raw) > 1e-9}
        assert set(error.unmoved) == set(NAMES) - moved
    # a small step of an error sum is a step: 1 / (1 + sum / 4) moves little where the sum is large
    steps = [e.before["fineradscore"].raw - e.after["fineradscore"].raw for e in errors]
    assert any(step > 0 for step in steps) and "fineradscore</span>" in html


def test_a_move_that_rounds_to_nothing_is_still_a_move():
    from radeval_core.ui.sheet import Edit, Mark
    from radeval_core.ui.workbench.metric_readings import Noticed

    readings = {
        name: ({"bleu": MetricReading("bleu", old, old, "")}) for name, old in (("before", 0.5), ("after", 0.5001))
    }
    error = Noticed(1, Mark(2, "false_finding", "x", (Edit(0, 1),)), readings["before"], readings["after"])
    assert (
        error.unmoved == []
        and "+&lt;0.01" in noticed_list([error], 1)
        and "not noticed</b>" not in noticed_list([error], 1)
    )


def test_equal_reports_have_no_error_to_notice():
    assert errors_noticed(REFERENCE, REFERENCE) == []
    assert "sees no error" in noticed_list([], 0)


def test_a_pair_that_cannot_be_scored_does_not_affect_others_in_its_batch():
    ((first, second, third),) = compare_pairs(["", REFERENCE, "a" * (MAX_CHARACTERS + 1)], [" ", REFERENCE, "b"])
    assert first == [] and third == []
    assert [row[3] for row in second] == pytest.approx([1.0] * len(NAMES), abs=1e-6)


def test_the_verdict_names_a_good_score_over_a_severe_error():
    from radeval_core.ui.sheet import Sheet, read_sheet

    readings = [
        MetricReading("bleu", 0.9, 0.9, ""),
        MetricReading("green", 0.2, 0.2, ""),
        MetricReading("rouge", math.nan, math.nan, ""),
    ]
    sheet = read_sheet("Large right pneumothorax.", "Large left pneumothorax.")
    assert "bleu says 0.90, green 0.20. Emergent error: right pneumothorax: left for right." in verdict(readings, sheet)
    assert "disagree by 0.70: bleu says 0.90, green 0.20" in verdict(readings, Sheet("x"))
    assert "agree" in verdict(readings[:1], Sheet("x")) and "No metric" in verdict(readings[2:], Sheet("x"))


def test_chips_show_both_candidates_and_unscored_metrics():
    one = [MetricReading("bleu", 0.5, 0.5, ""), MetricReading("rouge", math.nan, math.nan, "")]
    two = [MetricReading("bleu", 0.25, 0.25, ""), MetricReading("rouge", 0.1, 0.1, "")]
    drawn = chips(one, two, "abc")
    assert 'class="wb-a" style="width:50.0%"' in drawn and 'class="wb-b" style="width:25.0%"' in drawn
    assert "candidate A </span>not scored" in drawn and 'data-key="abc"' in drawn
    assert "wb-b" not in chips(one, [])


def test_the_page_shows_sheets_of_both_candidates_and_keys_of_all_fields():
    fields = [REFERENCE, REFERENCE.replace("left", "right"), REFERENCE, "", "", "", ""]
    (top,), (sheets,), (drawn,), (rows,) = show_visits(*([field] for field in fields))
    assert 'id="a"' in sheets and 'id="b"' in sheets and sheets.count("No error found") == 1
    assert f'data-key="{text_key(*fields)}"' in drawn and [row[0] for row in rows] == list(NAMES)
    assert all(row[2] is not None for row in rows) and "wb-verdict" in top


def test_the_patient_changes_crimson_and_the_sheet_and_a_wrong_age_is_said():
    reference, candidate = "Free air under the right hemidiaphragm. The heart is normal.", "The heart is normal."
    fields = [[reference] * 3, [candidate] * 3, [""] * 3, ["", "64", "old"], [""] * 3, [""] * 3]
    tops, sheets, _, tables = show_visits(*fields, ["", "two days after laparotomy", ""])
    crimson = [next(row for row in table if row[0] == "crimson") for table in tables]
    assert crimson[1][1] > crimson[0][1] == crimson[2][1]
    assert [("context:all" in row[-1], "context:none" in row[-1]) for row in crimson] == [(0, 1), (1, 0), (0, 1)]
    assert "in this patient" in sheets[1] and "in this patient" not in sheets[0]
    assert "is no age" in tops[2] and "without a patient" in tops[2] and "is no age" not in tops[0]


def test_the_picture_has_the_scores_and_is_a_png():
    import base64
    import io

    from PIL import Image

    fields = [REFERENCE, REFERENCE.replace("left", "right"), REFERENCE, "", "", "", ""]
    link = picture_link(Visit.of(fields))
    image = Image.open(io.BytesIO(base64.b64decode(link.split("base64,")[1].split('"')[0])))
    assert image.format == "PNG" and image.width == 1600 and image.height > 900
    assert 'download="radeval_' in link and len(set(image.convert("RGB").resize((100, 100)).getdata())) > 50


def test_a_picture_of_a_very_long_report_is_cut():
    from radeval_core.ui.sheet import Sheet
    from radeval_core.ui.workbench.picture import pair_picture

    long = Sheet("A word of a report. " * 4000)
    assert pair_picture([("A", long, [MetricReading("bleu", 0.5, 0.5, "s")])], "1").startswith(b"\x89PNG")


def test_reports_are_shown_as_text():
    fields = [REFERENCE, HOSTILE.replace("left", "right"), "", "<b>", "", "", ""]
    shown = [explain_pair(REFERENCE, HOSTILE.replace("left", "right")), *map(str, show_visits(*([f] for f in fields)))]
    assert not any("<script" in part or "<img" in part or "<b>'" in part for part in shown)


def test_the_errors_have_their_words():
    (error,) = mark_report(REFERENCE, REFERENCE.replace("left", "right"))
    assert error["category"] == "wrong_location" and error["severity"] == 3
    assert error["edits"] == [{"start": 6, "end": 11, "wrong": "right", "right": "left"}]


def test_each_button_changes_a_report_or_says_it_cannot():
    for kind in CHANGES.values():
        assert perturb_report(REFERENCE, kind) != REFERENCE, kind
        assert perturb_report("zzz", kind) == "zzz" or kind == "insertion", kind


# the endpoints


@pytest.fixture(scope="module")
def client():
    demo = build_workbench()
    try:
        options = workbench_options()
        _, url, _ = launch(demo, prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **options)
        yield Client(url, verbose=False)
    finally:
        demo.close(verbose=False)


def test_the_endpoints_are_named_and_typed(client):
    api = client.view_api(return_format="dict", print_info=False)
    assert sorted(api["named_endpoints"]) == ["/compare", "/explain", "/mark", "/perturb"]
    assert not api["unnamed_endpoints"]
    names = [p["parameter_name"] for p in api["named_endpoints"]["/perturb"]["parameters"]]
    assert names == ["report", "kind", "seed"]
    for endpoint in ("/compare", "/mark", "/explain"):
        names = [p["parameter_name"] for p in api["named_endpoints"][endpoint]["parameters"]]
        assert names == ["reference", "candidate"], endpoint


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
