"""Scored files: the numbers of the API, two systems, rows that are left out, what is shown and saved."""

import csv
import io
import json
import re

import pytest

from radeval_core import score
from radeval_core.bench.compare_systems import compare
from radeval_core.errors import InputError
from radeval_core.io import PairColumns, Table
from radeval_core.pairs import Pair
from radeval_core.shown_values import shown_value

NAMES = ["bleu", "fineradscore", "green"]
COLUMNS = PairColumns("prediction", "reference", "id")
REFERENCES = [
    "Small left pleural effusion.",
    "Large right pneumothorax. The heart is enlarged.",
    "The lungs are clear.",
    "Nodule in the right upper lobe.",
    "Moderate cardiomegaly.",
    "No pneumothorax.",
]
WORSE = [
    "Small right pleural effusion.",
    "The lungs are clear.",
    "Nodule in the left lung.",
    "",
    "Normal heart.",
    "Pneumothorax.",
]
HOSTILE = "<script>f(1)</script>{{x}}${f(2)} \"'> Small effusion."


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global cases, comparison, downloads, overview, runs, visits
    from radeval_core.ui.file_page import cases, comparison, downloads, overview
    from radeval_core.ui.file_page import run as runs
    from radeval_core.ui.file_page import visit as visits


def table(predictions, name="a.csv", ids="xyzuvw", references=REFERENCES, refused=()):
    rows = [
        (f"line {i}", {"id": own, "prediction": prediction, "reference": reference})
        for i, (own, prediction, reference) in enumerate(zip(ids, predictions, references, strict=False), 2)
    ]
    return Table(name, ("id", "prediction", "reference"), tuple(rows), tuple(refused))


def chosen(*tables, columns=COLUMNS):
    return [runs.ChosenFile(own, columns) for own in tables]


def scored(*tables, metrics=NAMES, leave_out=False, steps=None):
    progress = (
        (lambda done, **words: steps.append((done[0], words["desc"]))) if steps is not None else (lambda *_, **__: None)
    )
    return runs.score_files(chosen(*tables), metrics, leave_out, progress)


@pytest.fixture(scope="module")
def one():
    return scored(table(WORSE))


@pytest.fixture(scope="module")
def two():
    reverse = table(REFERENCES[::-1], "b.csv", "xyzuvw"[::-1], REFERENCES[::-1])
    return scored(table(WORSE), reverse)


def pairs(predictions=WORSE):
    return [Pair(p, (r,), own) for p, r, own in zip(predictions, REFERENCES, "xyzuvw", strict=True)]


def test_a_file_has_the_scores_of_the_api(one):
    expected = score(pairs(), NAMES)
    assert one.system(None).scores.summary() == expected.summary()
    assert list(one.system("a").scores.rows()) == list(expected.rows())
    assert one.comparison is None and one.other is None and one.notes == ()


def test_progress_counts_the_pairs_of_both_files_and_estimates_the_rest():
    steps = []
    long = [f"Small left pleural effusion of {i} cm." for i in range(40)]
    many = table(long, ids=[str(i) for i in range(40)], references=["Small left effusion."] * 40)
    scored(many, many, metrics=["rouge"], steps=steps)
    assert [done for done, _ in steps] == [0, 32, 64, 80]
    assert steps[0][1] == "loading" and steps[1][1].endswith("left") and steps[-1][1] == "drawing"


def test_two_files_are_matched_by_id_and_compared_as_the_command_does(two):
    expected = compare({"a": pairs(), "b": pairs(REFERENCES)}, [shown_value(name) for name in NAMES])
    assert two.comparison.plain() == expected.plain()
    assert two.notes == ("The pairs of both files are matched by their ids (id).",)
    assert [pair.id for pair in two.other.pairs] == list("xyzuvw")


def test_without_ids_files_are_matched_by_order_and_the_page_says_so():
    files = chosen(table(WORSE), table(REFERENCES, "b.csv"), columns=PairColumns("prediction", "reference"))
    systems, notes = runs.matched_systems(files, False)
    assert [pair.id for pair in systems["b"]] == [0, 1, 2, 3, 4, 5] and "by their order" in notes[0]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (lambda: table(WORSE, "b.csv", "xyzuvq"), "the systems need the same ids: 1 id ('w') of a.csv is not in b.csv"),
        (lambda: table(WORSE, "b.csv", references=["Other."] * 6), "references of 6 ids"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(second, message):
    with pytest.raises(InputError) as error:
        runs.matched_systems(chosen(table(WORSE), second()), False)
    assert message in str(error.value)


def test_two_files_with_one_name_get_numbers():
    systems, _ = runs.matched_systems(chosen(table(WORSE), table(REFERENCES)), False)
    assert list(systems) == ["a (1)", "a (2)"]


def test_rows_that_cannot_be_read_stop_the_run_until_the_visitor_leaves_them_out():
    bad = table(["Clear.", 7, "x" * 20_001], "b.csv", refused=["line 9: not valid JSON"])
    with pytest.raises(InputError, match=r"b\.csv: 3 rows cannot be read") as error:
        runs.matched_systems(chosen(bad), False)
    assert "tick the box" in str(error.value)
    systems, notes = runs.matched_systems(chosen(bad), True)
    assert [pair.id for pair in systems["b"]] == ["x"]
    assert notes[0].startswith("b.csv: 3 rows left out: line 9: not valid JSON; line 3:") and "id z" in notes[0]


def test_a_row_left_out_of_one_file_is_left_out_of_the_other():
    systems, _ = runs.matched_systems(chosen(table(["a", 7, "c"]), table(["a", "b", "c"], "b.csv")), True)
    assert [[pair.id for pair in rows] for rows in systems.values()] == [["x", "z"], ["x", "z"]]


@pytest.mark.parametrize(
    ("columns", "metrics", "message"),
    [
        (COLUMNS, [], "no metric is chosen"),
        (PairColumns(None, "reference"), NAMES, "a.csv: choose the column of the predictions"),
        (PairColumns("prediction", None), NAMES, "a.csv: choose the column of the references"),
    ],
)
def test_what_is_missing_is_named(columns, metrics, message):
    with pytest.raises(InputError, match=re.escape(message)):
        runs.score_files(chosen(table(WORSE), columns=columns), metrics, False, lambda *_, **__: None)


def test_the_cases_on_which_two_systems_differ_most_come_first(two):
    a, b = (system.scores.results["green"] for system in two.systems.values())
    gaps = abs(b.scores - a.scores)
    order = cases.differ_most(a, b)
    assert sorted(order) == list(range(6)) and [gaps[i] for i in order] == sorted(gaps, reverse=True)


def test_pages_of_cases(one):
    system = one.system(None)
    first, last = (cases.case_page(one, system, "green", cases.WORST, page, {}) for page in (0, 99))
    assert (first.words, first.pages) == ("Cases 1 to 3 of 6", 2) and first.html.count("<article") == 3
    assert (last.words, last.page) == ("Cases 4 to 6 of 6", 1)
    assert cases.case_page(one, system, "green", cases.WORST, -5, {}).page == 0
    assert "Why green is 0.000" in first.html and 'class="rs-pair"' in first.html


def test_a_case_of_two_systems_shows_both_sheets(two):
    html = cases.case_page(two, two.system(None), "green", cases.DIFFER, 0, {}).html
    assert html.count("A: a") and html.count("B: b") and "Why green of B: b is 1.000" in html
    names = re.findall(r'<div class="rs" id="([\w-]+)"', html)
    assert len(names) == len(set(names)) == 6


def test_the_overview_has_every_section_and_says_which_reports_are_empty(one):
    shown = overview.overview(one.system(None))
    for name in ("summary", "errors", "unscored", "distributions", "findings", "agreement"):
        assert f'<section id="{name}">' in shown.sections and f'href="#{name}"' in shown.sections
    assert 'id="comparison"' not in shown.sections
    assert re.search(r"empty prediction: .*?<td>1</td><td><bdi>u</bdi>", shown.sections)
    assert shown.index.count("<tr data-place") == 6 and 'id="fp-error"' in shown.index


def test_an_unscored_pair_is_shown_with_its_reason():
    run = scored(table(["Pulmones claros sin derrame pleural.", "The lungs are clear."], ids="ab"), metrics=["green"])
    shown = overview.overview(run.system(None)).sections
    assert re.search(r"green: the prediction .*?<td>1</td><td><bdi>a</bdi>", shown)
    case = cases.one_case(run, run.system(None), "green", 0, {})
    assert "Not scored:" in case


def test_a_comparison_says_which_system_is_better(two):
    html = comparison.comparison_section(two.comparison)
    assert "Holm&#x27;s" in html or "Holm's" in html
    (row,) = [row for row in html.split("<tr>") if "<b>green</b>" in row]
    assert "1.0000" in row and ("B is better" in row or "no significant difference" in row)
    assert html.count("<tr>") == 1 + len(NAMES)


def test_the_csv_file_has_every_score(two):
    rows = list(csv.DictReader(io.StringIO(downloads.scores_csv(two).text)))
    assert len(rows) == 12 and [row["system"] for row in rows[::6]] == ["a", "b"]
    expected = two.system("a").scores.results["green"].scores
    assert [float(row["green"]) for row in rows[:6]] == pytest.approx(expected.tolist())


def test_the_jsonl_file_has_the_details(one):
    rows = [json.loads(line) for line in downloads.details_jsonl(one).text.splitlines()]
    assert [row["id"] for row in rows] == list("xyzuvw")
    assert set(rows[0]["details"]) == set(NAMES) and rows[0]["details"]["green"]["significant"]


def test_the_html_file_has_the_chosen_system_and_the_comparison(two):
    page = downloads.report_html(two, "b").text
    assert "Scores of b" in page and '<section id="comparison">' in page and page.count('class="pair"') == 6


def test_words_are_searched_in_ids_and_reports(one):
    visit = visits.FileVisit(run=one)
    assert visit.search("a", "PNEUMOTHORAX") == [1, 5]
    assert visit.search("a", " z ") == [2]  # an id
    assert visit.search("a", "no such words") == [] and visit.search("a", "  ") is None


def test_hostile_text_is_inert():
    run = scored(
        table([HOSTILE], "<b>.csv", ["<i>"], ["Small effusion."]),
        table([HOSTILE], "<u>.csv", ["<i>"], ["Small effusion."]),
    )
    system = run.system(None)
    shown = overview.overview(system, comparison.comparison_section(run.comparison))
    pages = [
        shown.sections,
        shown.index,
        cases.case_page(run, system, "green", cases.DIFFER, 0, shown.options).html,
        visits.describe(chosen(table([HOSTILE], "<b>.csv", ["<i>"], [HOSTILE], ["line 1: <img>"]))[0]),
    ]
    for page in pages:
        assert not re.search(r"<script|<b>\.csv|<u>|<i>\w|<img|\{\{|\$\{", page)


def test_a_file_is_described_before_it_is_scored():
    told = visits.describe(chosen(table(["", "b"], refused=["line 4: not valid JSON"]))[0])
    for words in ("a.csv", "2 rows", "1 empty prediction", "1 row cannot be read", "line 4: not valid JSON", "(empty)"):
        assert words in told
    asked = visits.describe(chosen(table(["a"]), columns=PairColumns(None, "reference"))[0])
    assert "Choose the column of the prediction." in asked


def test_metrics_that_run_an_encoder_are_marked_and_slow_ones_have_their_time():
    labels = dict((name, label) for label, name in visits.metric_choices({"bertscore": 0.2, "bleu": 0.2, "green": 4.0}))
    assert labels["bertscore"] == "bertscore (encoder, under 1 s)" and labels["radcliq"] == "radcliq (encoder)"
    assert labels["bleu"] == "bleu" and labels["green"] == "green (about 4 s)"
    assert "about 4 s" in visits.total_words({"bleu": 0.2, "green": 4.0}, ["bleu", "green"])
    assert "at least one" in visits.total_words({}, [])


def test_the_quick_metrics_run_no_encoder():
    from radeval_core.registry import get_spec

    assert all(get_spec(name).default_config.extra != "models" for name in visits.QUICK)


def test_the_sample_is_two_systems_that_belong_together():
    from radeval_core.ui.file_page.sample import sample_links, sample_tables

    first, second = sample_tables()
    systems, _ = runs.matched_systems(chosen(first, second), False)
    assert len(systems["sample_a"]) == len(systems["sample_b"]) == 16
    assert [p.prediction for p in systems["sample_a"]] != [p.prediction for p in systems["sample_b"]]
    assert sample_links().count("data:text/csv;base64,") == 2
