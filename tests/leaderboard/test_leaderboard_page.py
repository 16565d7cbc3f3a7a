"""The page: submitted text never runs as code, and the endpoints return the same data as the CLI."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from packaging.requirements import Requirement
from small_benchmark import REFERENCES, jsonl, rows, write_benchmark

from radeval_core import __version__
from radeval_core.error_categories import CATEGORIES
from radeval_core.hub.publish import front_matter
from radeval_core.leaderboard.benchmark import load_benchmark
from radeval_core.leaderboard.board import read_board
from radeval_core.leaderboard.cases import error_totals, worst_cases
from radeval_core.leaderboard.comparison import Comparison, PartDifference, compare_entries
from radeval_core.leaderboard.queue import score_waiting
from radeval_core.leaderboard.ranking import group_by_version
from radeval_core.leaderboard.score_submission import current_version
from radeval_core.leaderboard.store import open_store
from radeval_core.leaderboard.submission import check_submission
from radeval_core.ui.leaderboard.address import Address, read_address
from radeval_core.ui.leaderboard.case_view import cases_view
from radeval_core.ui.leaderboard.citation import citation_view
from radeval_core.ui.leaderboard.comparison_view import comparison_view
from radeval_core.ui.leaderboard.part import choices, parts_of, restricted
from radeval_core.ui.leaderboard.plot import distribution_plot
from radeval_core.ui.leaderboard.ranking_table import outside_link, ranking_table
from radeval_core.ui.leaderboard.system_view import _listed, system_view
from radeval_core.ui.leaderboard.view import fine_view, notes, problems_view

HOSTILE = "<script>alert(1)</script>${x} `b`"
#: the only tags allowed on the page; any other tag, or any attribute that runs code, is a leak
TAGS = set(
    [
        "div",
        "p",
        "b",
        "br",
        "a",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "span",
        "i",
        "h4",
        "details",
        "summary",
        "ul",
        "li",
        "svg",
        "circle",
        "rect",
        "line",
        "path",
        "pre",
        "button",
        "strong",
        "small",
        "section",
        "code",
    ]
)


@pytest.fixture(scope="module", autouse=True)
def heavy_imports():
    global OUTPUTS, Submitting, Visits, Withdrawal, build_leaderboard, get_upload_folder, leaderboard_options
    from gradio.utils import get_upload_folder

    from radeval_core.ui.leaderboard.page import build_leaderboard, leaderboard_options
    from radeval_core.ui.leaderboard.submitting import Submitting
    from radeval_core.ui.leaderboard.visits import OUTPUTS, Visits
    from radeval_core.ui.leaderboard.withdraw import Withdrawal


@pytest.fixture
def board(small, tmp_path, clock):
    """Return a store and board with two systems, one of them with hostile text in every field and report."""
    store = open_store(tmp_path / "store")
    hostile = rows(**{key: f"{HOSTILE} Large right pneumothorax." for key in REFERENCES})
    for data in (jsonl(rows(**REFERENCES)), jsonl(hostile, name=HOSTILE, training_data=HOSTILE)):
        store.submit(check_submission(data, small), small, "2026-01-01T00:00:00+00:00")
    score_waiting(store, small, clock=clock)
    return store, read_board(store, small)


def assert_harmless(fragment, more=()):
    assert HOSTILE not in fragment and "${" not in fragment and "`" not in fragment
    for tag, attributes in re.findall(r"<\s*([a-z0-9]+)((?:\s[^>]*)?)>", fragment, re.IGNORECASE):
        assert tag in TAGS | set(more), tag
        assert not re.search(r"\son\w+\s*=", attributes), attributes
        for address in re.findall(r'href="([^"]*)"', attributes):
            assert html.unescape(address).startswith(("https://example.org/", "data:application/jsonl;base64,", "#"))


def test_every_fragment_shows_a_hostile_system_as_text(board, small):
    store, found = board
    ranked = found.ranked()
    row = next(r for r in ranked if r.outcome.system.name == HOSTILE)
    predictions = store.request("small", row.outcome.submission)["predictions"]
    fragments = [
        distribution_plot(ranked, "green"),
        ranking_table(ranked, [], list(small.metrics), "green"),
        system_view(found, row.outcome),
        cases_view(worst_cases(row.outcome, small, predictions), small),
        problems_view([HOSTILE]),
        fine_view(HOSTILE, {HOSTILE: HOSTILE}),
    ]
    for fragment in fragments:
        assert_harmless(fragment)
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in fragment


def test_notes_show_failures_and_other_versions_as_text(board, small):
    _, found = board
    failed = replace(found.current[0], reason=HOSTILE, system=found.current[1].system)
    (group,) = group_by_version(found.current)
    fragment = notes(replace(found, failed=(failed,), others=(group,), waiting=2))
    assert_harmless(fragment)
    assert "2 submissions waiting" in fragment and f"Other version {group.version}" in fragment
    assert notes(found) == ""


def test_no_reference_is_shown(board, small):
    store, found = board
    for row in found.ranked():
        predictions = store.request("small", row.outcome.submission)["predictions"]
        if row.outcome.system.name == HOSTILE:
            worst = worst_cases(row.outcome, small, predictions, count=9)
            shown = system_view(found, row.outcome) + cases_view(worst, small)
            assert not any(sentence in shown for text in REFERENCES.values() for sentence in text.split(". "))


def test_references_are_shown_only_where_the_owner_allows_it(board, small):
    store, found = board
    outcome = next(o for o in found.current if o.system.name == HOSTILE)
    worst = worst_cases(outcome, small, store.request("small", outcome.submission)["predictions"], count=6)
    closed, opened = cases_view(worst, small), cases_view(worst, replace(small, show_references=True))
    assert "keeps the references private" in closed and "rs-mark" not in closed
    assert "keeps the references private" not in opened and "rs-mark" in opened
    assert "Moderate right apical pneumothorax." in opened and "Moderate" not in closed
    assert_harmless(opened.replace("<del>", "").replace("<ins>", "").replace('<ins class="rs-in">', ""), {"ol"})


def test_a_comparison_shows_references_only_where_the_owner_allows_it(board, small):
    store, found = board
    sides = [(o, store.request("small", o.submission)["predictions"]) for o in found.current[:2]]
    compared = compare_entries(sides[0][0], sides[1][0], small)
    assert compared.cases
    closed, opened = (comparison_view(compared, *sides, replace(small, show_references=may)) for may in (False, True))
    assert "<h4>Reference</h4>" not in closed and opened.count("<h4>Reference</h4>") == len(compared.cases)
    assert "keeps the references private" in closed and "rs-page" not in closed
    assert "keeps the references private" not in opened and "rs-page" in opened


def cells(html_table):
    """Return the texts of the cells of every row, without tags."""
    rows = re.findall(r"<tr[^>]*data-values.*?</tr>", html_table)
    return [[re.sub(r"<[^>]+>", "", c) for c in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)] for row in rows]


def test_the_ranked_metric_comes_first_and_the_best_score_of_each_metric_is_bold(board, small):
    _, found = board
    table = ranking_table(found.ranked("fineradscore"), [], list(small.metrics), "fineradscore")
    heads = re.findall(r'<th scope="col"( class="lb-by" aria-sort="\w+")?><button[^>]*>([\w.]+)', table)
    assert heads == [(' class="lb-by" aria-sort="ascending"', "fineradscore"), ("", "green"), ("", "bleu")]
    best, other = cells(table)
    assert best[:4] == [
        "1",
        "Example systemexample.org ↗ (opens a new page)",
        "0.000 best0.000 – 0.000",
        "1.000 best1.000 – 1.000",
    ]
    assert " best" not in "".join(other) and table.count("<strong>") == 3


def test_yardsticks_are_apart_without_rank_and_never_the_best(board, small):
    _, found = board
    oracle, system = found.ranked()
    table = ranking_table([system], [replace(oracle, rank=None, kind="oracle")], list(small.metrics), "green")
    ranked, apart = table.split('<tbody class="lb-apart">')
    assert "Example system" not in ranked and "Not ranked" in apart and "oracle: saw the answer" in apart
    assert cells(apart)[0][0] == "–" and "<strong>" not in apart and ranked.count("<strong>") == 3


def test_a_board_without_systems_says_so(board, small):
    _, found = board
    table = ranking_table([], found.ranked(), list(small.metrics), "green")
    assert "No system has been submitted yet" in table and "Example system" in table


def test_a_row_carries_its_values_for_the_csv_file(board, small):
    _, found = board
    table = html.unescape(ranking_table(found.ranked(), [], list(small.metrics), "green"))
    assert '["rank", "kind", "system", "link", "green", "green low", "green high", ' in table
    values = json.loads(re.search(r'data-values="(\[1.*?\])"><td', table)[1])
    outcome = found.ranked()[0].outcome
    assert values[:7] == [1, "system", "Example system", "https://example.org/model", 1.0, 1.0, 1.0]
    assert values[-2:] == [outcome.submission, outcome.date]


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "//example.org", "http://[", "x"])
def test_only_addresses_of_the_web_become_links(link):
    assert "<a" not in outside_link(link)
    assert 'rel="nofollow noopener noreferrer ugc"' in outside_link('https://example.org/a?b="c"')


# parts of the studies


@pytest.fixture
def split(tmp_path, clock):
    """Return a board with two systems on six studies, split by modality."""
    benchmark = write_benchmark(tmp_path / "split", facets=["modality", "length"])
    store = open_store(tmp_path / "split store")
    for data in (jsonl(rows(**REFERENCES)), jsonl(name="Other")):
        store.submit(check_submission(data, benchmark), benchmark, "2026-01-01T00:00:00+00:00")
    score_waiting(store, benchmark, clock=clock)
    return read_board(store, benchmark)


def test_a_part_has_the_means_and_intervals_of_its_studies(split):
    assert choices(split.benchmark)[:2] == [("all 6 studies", ""), ("modality: X-Ray (6)", "modality:X-Ray")]
    part = parts_of(split.benchmark)["length:short"]
    found = restricted(split, part)
    for before, after in zip(split.current, found.current, strict=True):
        assert after.ids == part.studies
        scores = [before.scores["green"][before.ids.index(study)] for study in part.studies]
        assert after.scores["green"] == tuple(scores)
        assert after.metrics["green"]["score"] == pytest.approx(sum(scores) / len(scores))
        assert after.metrics["green"]["n"] == len(scores) < 6
    assert restricted(split, None) is split


def test_the_page_says_which_studies_its_numbers_are_about(split, tmp_path):
    visits = Visits(open_store(tmp_path / "split store"), split.benchmark)
    table, plot, _ = visits.rank("green", "length:short")
    count = len(parts_of(split.benchmark)["length:short"].studies)
    assert f"<b>length: short</b>: {count} of 6 studies" in table and "bleu: means over studies" in table
    assert plot.count('class="study"') == 2 * count
    assert "lb-part" not in visits.rank("green", "length:never")[0], "an old link shows all studies"


# links


def test_a_link_names_what_the_page_shows():
    address = Address("compare", "green", "modality:CT & MR", "", "abc", "def")
    assert address.link() == "#tab=compare&metric=green&part=modality:CT+%26+MR&a=abc&b=def"
    assert read_address(address.link()) == address


@pytest.mark.parametrize("written", ["", "#", "#w=abc", None, "#tab=other&x=1", "#" + "a" * 5_000, "#tab"])
def test_a_link_that_is_not_understood_opens_the_page_as_usual(written):
    assert read_address(written) == Address()


def test_a_link_opens_its_tab_with_its_system(split, tmp_path):
    visits = Visits(open_store(tmp_path / "split store"), split.benchmark)
    wanted = split.ranked()[1].outcome.submission
    shown = visits._show(Address("systems", "bleu", "length:short", wanted[:12]), "systems")
    assert shown[1:4] == ("systems", "bleu", "length:short")
    assert "Other" in shown[11] and 'class="lb-by" aria-sort' in shown[7]
    assert len(shown) == len(OUTPUTS)
    unknown = visits._show(Address("", "no such metric", "", "ffffff"), "ranking")
    assert unknown[1:4] == ("ranking", "green", "")


def test_a_withdrawn_system_gives_way_to_another(split, tmp_path, monkeypatch):
    visits = Visits(open_store(tmp_path / "split store"), split.benchmark)
    gone, left = (row.outcome.submission for row in split.ranked())
    monkeypatch.setattr(visits.store.__class__, "withdrawn", lambda store, benchmark: {gone})
    again = dict(zip(OUTPUTS, visits.reload("submit", "bleu", "", gone, gone, left), strict=True))
    assert again["system"].value == again["second"].value == left
    assert "1 submission withdrawn" in again["notes"] and "Example system" not in again["table"]


def test_a_comparison_names_both_systems_and_what_tells_them_apart(split, tmp_path):
    visits = Visits(open_store(tmp_path / "split store"), split.benchmark)
    first, second = (row.outcome.submission for row in split.ranked())
    shown = visits.compare(first, second, "green")
    assert "A: Example system" in shown and "B: Other" in shown and shown.count("p = ") == 3
    assert "Consolidation" in shown, "the prediction"
    assert "Choose two different systems" in visits.compare(first, first, "green")
    assert "No system has been scored" in visits.compare(None, None, "green")


def test_many_parts_in_which_a_neighbour_is_better_are_said_in_few_words():
    parts = [PartDifference("anatomy", f"part {i}", 0.1, (0.05, 0.2), 9, "first" if i < 7 else "") for i in range(9)]
    parts.append(PartDifference("length", "short", -0.1, (-0.2, -0.05), 9, "second"))
    found = Comparison("a", "b", "green", (), tuple(parts), (), ())
    assert _listed(found, "anatomy", "first") == "anatomy: part 0, part 1, part 2, part 3, part 4 and 2 more of 9"
    assert [_listed(found, "length", side) for side in ("first", "second")] == ["", "length: short"]


def test_a_drawn_view_is_kept_only_as_long_as_the_board_is_the_same(split, tmp_path, clock, monkeypatch):
    from gradio import Error

    from radeval_core.ui.leaderboard import visits as module

    calls = []
    monkeypatch.setattr(module, "system_view", lambda board, outcome: calls.append(len(board.current)) or "drawn")
    visits = Visits(open_store(tmp_path / "split store"), split.benchmark)
    first = split.ranked()[0].outcome.submission
    assert [visits.system(first, "")[0] for _ in range(3)] == ["drawn"] * 3 and calls == [2]
    third = check_submission(jsonl(name="Third"), split.benchmark)
    visits.store.submit(third, split.benchmark, "2026-01-02T00:00:00+00:00")
    score_waiting(visits.store, split.benchmark, clock=clock)
    visits.system(first, "")
    assert calls == [2, 3], "a new neighbour"
    monkeypatch.setattr(visits.store.__class__, "withdrawn", lambda store, benchmark: {first})
    with pytest.raises(Error):
        visits.system(first, "")


# a new board


def test_an_empty_store_gets_its_baselines_once_for_all_visitors(small, tmp_path, monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    from radeval_core.leaderboard import baselines
    from radeval_core.ui.leaderboard import seeding

    calls, seen = [], []
    (small.folder / "baselines").mkdir()
    (small.folder / "baselines" / "one.jsonl").write_bytes(jsonl(name="Baseline"))
    monkeypatch.setattr(seeding, "seed", lambda *args, **options: calls.append(1) or baselines.seed(*args, **options))
    visits = Visits(open_store(tmp_path / "store"), small)
    note = visits.seeding._note
    monkeypatch.setattr(visits.seeding, "_note", lambda done, total: seen.append((done, total)) or note(done, total))
    with ThreadPoolExecutor(4) as pool:
        boards = list(pool.map(lambda _: visits.board(), range(4)))
    assert calls == [1] and {len(board.current) for board in boards} == {1}
    assert seen[-1] == (6, 6) and "1 of 1, report 6 of 6" in visits.seeding.view()
    assert Visits(open_store(tmp_path / "store"), small).seeding.start() is False, "a board with results is ready"


def test_baselines_that_were_interrupted_are_scored_on_the_next_visit(small, tmp_path):
    (small.folder / "baselines").mkdir()
    (small.folder / "baselines" / "one.jsonl").write_bytes(jsonl(name="Baseline"))
    store = open_store(tmp_path / "store")
    store.submit(check_submission(jsonl(name="Baseline"), small), small, "2026-01-01T00:00:00+00:00")
    assert [o.system.name for o in Visits(store, small).board().current] == ["Baseline"]


def test_baselines_that_cannot_be_scored_are_reported(small, tmp_path, monkeypatch):
    from radeval_core.ui.leaderboard import seeding

    def broken(*_, **__):
        raise ValueError("a sentence of a report")

    (small.folder / "baselines").mkdir()
    (small.folder / "baselines" / "one.jsonl").write_bytes(jsonl(name="Baseline"))
    monkeypatch.setattr(seeding, "seed", broken)
    table = Visits(open_store(tmp_path / "store"), small).rank("green", "")[0]
    assert "the baselines could not be scored: ValueError" in table and "sentence of a report" not in table


def test_the_citation_names_benchmark_revision_and_version(split):
    shown = html.unescape(citation_view(split))
    assert f"studies {split.benchmark.revision}, metrics version {split.version}" in shown
    assert "https://huggingface.co/datasets/radeval/small" in shown and "@inproceedings{ostmeier2024green" in shown


def test_worst_cases_have_the_most_errors_of_the_category(board, small):
    store, found = board
    outcome = next(o for o in found.current if o.system.name == HOSTILE)
    predictions = store.request("small", outcome.submission)["predictions"]
    counts = dict(zip(outcome.ids, outcome.errors, strict=True))
    for category in CATEGORIES:
        cases = worst_cases(outcome, small, predictions, category)
        assert all(counts[c.study][category] >= 1 for c in cases)
        found_counts = [c.errors[category] for c in cases]
        assert found_counts == sorted(found_counts, reverse=True)
    assert len(worst_cases(outcome, small, predictions, count=4)) == 4
    totals = error_totals(outcome)
    assert totals["false_finding"] == sum(c.get("false_finding", 0) for c in counts.values()) > 0
    assert list(totals.values()) == sorted(totals.values(), reverse=True)


def test_a_perfect_system_has_no_errors(board):
    _, found = board
    outcome = next(o for o in found.current if o.system.name != HOSTILE)
    assert error_totals(outcome) == {}


# the page itself


@pytest.fixture
def client(small, tmp_path):
    (small.folder / "baselines").mkdir()
    (small.folder / "baselines" / "one.jsonl").write_bytes(jsonl(name="Baseline"))
    demo = build_leaderboard(open_store(tmp_path / "store"), small)
    options = {**leaderboard_options(), "prevent_thread_lock": True, "quiet": True}
    _, url, _ = demo.launch(server_name="127.0.0.1", **options)
    try:
        yield Client(url, verbose=False)
    finally:
        demo.close()


def write(path, data):
    path.write_bytes(data)
    return handle_file(str(path))


def test_a_program_submits_and_finds_its_rank(client, small, tmp_path):
    first = client.predict("green", api_name="/leaderboard")
    assert [row["name"] for row in first["systems"]] == ["Baseline"]  # a new store begins with the baselines
    file = write(tmp_path / "mine.jsonl", jsonl(rows(**REFERENCES), name=HOSTILE))
    checked = client.predict(file, api_name="/check")
    assert checked["ok"] and len(client.predict("green", api_name="/leaderboard")["systems"]) == 1
    done = client.predict(file, "", api_name="/submit")
    secret = done.pop("secret")
    assert done == {"ok": True, "submission": checked["submission"], "scored": True, "problems": []}
    assert client.predict(file, "", api_name="/submit") == {**done, "secret": ""}  # submitting again changes nothing
    more = write(tmp_path / "more.jsonl", jsonl(name=HOSTILE))
    other = client.predict(more, "not the right secret", api_name="/submit")
    assert not other["ok"] and "belongs to another submitter" in other["problems"][0]
    assert client.predict(more, secret, api_name="/submit")["ok"]
    table = client.predict("green", api_name="/leaderboard")
    board = read_board(open_store(tmp_path / "store"), small)
    assert table == json.loads(json.dumps(board.as_dict("green")))
    assert table["systems"][0]["name"] == HOSTILE


def test_a_program_withdraws_what_it_submitted(client, small, tmp_path):
    file = write(tmp_path / "mine.jsonl", jsonl(name="Mine"))
    entered = client.predict(file, "", api_name="/submit")
    for secret in ("", "not the right secret"):
        answer = client.predict(entered["submission"], secret, api_name="/withdraw")
        assert not answer["ok"] and answer["problems"]
    names = [row["name"] for row in client.predict("green", api_name="/leaderboard")["systems"]]
    assert "Mine" in names
    answer = client.predict(entered["submission"][:12], entered["secret"], api_name="/withdraw")
    assert answer == {"ok": True, "submission": entered["submission"], "new": True, "problems": []}
    board = client.predict("green", api_name="/leaderboard")
    assert board["systems"] == [] and board["withdrawn"] == 1


def test_the_answer_to_a_withdrawal_is_shown(small, tmp_path):
    visits = Visits(open_store(tmp_path / "store"), small)
    withdrawal = Withdrawal(visits.store, small)
    (tmp_path / "mine.jsonl").write_bytes(jsonl())
    entered = Submitting(visits).submit(str(tmp_path / "mine.jsonl"))
    refused = withdrawal.show(HOSTILE, entered["secret"])
    assert "unknown submission" in refused and set(re.findall(r"<([a-z0-9]+)", refused)) <= TAGS
    assert "Withdrawn." in withdrawal.show(entered["submission"], entered["secret"])
    assert "Already withdrawn." in withdrawal.show(entered["submission"], entered["secret"])
    assert "1 submission withdrawn" in notes(visits.board())


def test_a_submission_claimed_by_another_scorer_is_reported_as_waiting(small, tmp_path):
    store = open_store(tmp_path / "store")
    page = Submitting(Visits(store, small))
    (tmp_path / "mine.jsonl").write_bytes(jsonl())
    submission = page.check(str(tmp_path / "mine.jsonl"))["submission"]
    with store.claim("small", current_version(small), submission):
        answer = page.submit(str(tmp_path / "mine.jsonl"))
    assert answer.pop("secret")
    assert answer == {"ok": True, "submission": submission, "scored": False, "problems": []}
    assert page.submit(str(tmp_path / "mine.jsonl"))["scored"]


def test_wrong_files_are_refused_with_reasons_and_not_stored(client, tmp_path):
    wrong = client.predict(write(tmp_path / "w.jsonl", jsonl(rows(s2="", s3=None))), "", api_name="/submit")
    assert not wrong["ok"] and wrong["problems"] == [
        "line 3 (id 's2'): prediction is empty",
        "1 prediction is missing: s3",
    ]
    large = client.predict(write(tmp_path / "l.jsonl", jsonl() + b" " * 30_000), api_name="/check")
    assert large["problems"] == ["the file is larger than the limit of 20,000 bytes"]
    assert client.predict(write(tmp_path / "z.jsonl", b"\x00\xff"), api_name="/check")["problems"]
    assert [row["name"] for row in client.predict("green", api_name="/leaderboard")["systems"]] == ["Baseline"]


def test_uploads_are_deleted_after_reading(client, tmp_path):
    mark = "A sentence that is in no other file."
    client.predict(write(tmp_path / "mine.jsonl", jsonl(rows(s1=mark))), api_name="/check")
    kept = [f for f in Path(get_upload_folder()).rglob("*") if f.is_file() and mark.encode() in f.read_bytes()]
    assert kept == []


def test_an_unknown_metric_is_refused(client):
    with pytest.raises((AppError, ValueError)):
        client.predict("blue", api_name="/leaderboard")


def test_only_four_endpoints_are_public(client):
    public = {"/leaderboard", "/check", "/submit", "/withdraw"}
    assert set(client.view_api(return_format="dict")["named_endpoints"]) == public


# the Space


def test_the_space_has_valid_front_matter_and_requirements(root):
    card = root / "spaces" / "leaderboard" / "README.md"
    fields = front_matter(card.read_text("utf-8"), card)
    assert (fields["sdk"], fields["sdk_version"], fields["app_file"]) == ("gradio", "6.31.0", "app.py")
    assert fields["title"] and fields["license"] == "apache-2.0" and len(fields["short_description"]) <= 60
    (line,) = (root / "spaces" / "leaderboard" / "requirements.txt").read_text("utf-8").split()
    assert Requirement(line).extras == {"spaces"} and Requirement(line).specifier.contains(__version__)


def test_the_card_states_the_limits_of_the_benchmark(root):
    text = (root / "spaces" / "leaderboard" / "README.md").read_text("utf-8")
    benchmark = load_benchmark()
    assert f"at most {benchmark.limits.file_bytes / 1e6:g} MB" in text
    assert all(f"`{name}`" in text for name in benchmark.metrics)
