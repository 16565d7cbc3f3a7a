"""A reader's desk: blinded cases in the own order, saved answers, no overwriting between windows; and the store."""

import json

import pytest
from study_samples import PAIRS, answer, counts, desk_of, make_study, save, write_pairs

from radeval_core.errors import InputError
from radeval_core.reading.access import NotAllowed, link, log_in, name_of
from radeval_core.reading.cases import read_rows
from radeval_core.reading.desk import ChangedElsewhere
from radeval_core.reading.study import check_same_pairs, create_study, open_study

GOOD, POOR = {"rating": 5}, {"rating": 1, "errors": counts(false_finding=2)}


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path)[0]


def test_a_case_names_no_id_no_study_and_no_system(study):
    for name in ("anna", "bo"):
        for position in (1, 2, 3):
            shown = json.dumps(desk_of(study, name).case(position))
            for hidden in ("model-x", "model-y", '"a1"', '"b2"', "study"):
                assert hidden not in shown


def test_the_lines_of_a_case_are_the_whole_text(study):
    texts = {"".join(c["lines"]) for position in (1, 2, 3) for c in desk_of(study, "anna").case(position)["candidates"]}
    assert texts == {row["prediction"] for row in PAIRS}


def test_answers_come_back_as_shown_and_are_stored_in_the_order_of_the_file(tmp_path):
    pairs = [{**row, "id": f"{n}{row['id']}", "study": str(n)} for n in range(10) for row in PAIRS[:2]]
    study, _, _ = make_study(tmp_path, pairs)
    desk = desk_of(study, "anna")
    assert desk.reader.order.swapped and len(desk.reader.order.swapped) < 10
    for position, key in enumerate(desk.reader.order.cases, start=1):
        given = answer({"rating": 2}, {"rating": 4}, preferred=1, confidence=3)
        desk.save(position, 0, f"save-{position:04d}", given)
        shown = desk.case(position)["reading"]
        assert [c["rating"] for c in shown["candidates"]] == [2, 4] and shown["preferred"] == 1
        stored = study.journal("anna").readable().latest[key]["reading"]
        swapped = key in desk.reader.order.swapped
        assert [c["rating"] for c in stored["candidates"]] == ([4, 2] if swapped else [2, 4])
        assert stored["preferred"] == (0 if swapped else 1)


def test_readers_see_only_their_own(study):
    save(desk_of(study, "anna"), "c0001", answer(GOOD, POOR, preferred=0, confidence=4, comment="mine"))
    assert desk_of(study, "anna").overview()["states"].count("done") == 1
    assert desk_of(study, "bo").overview()["states"] == ["new"] * 3
    for position in (1, 2, 3):
        case = desk_of(study, "bo").case(position)
        assert case["revision"] == 0 and case["reading"]["comment"] == ""


def test_a_case_is_done_only_when_nothing_is_missing(study):
    desk = desk_of(study, "anna")
    saved = save(desk, "c0001", answer({"rating": 3}, {"corrections": [{"line": 0, "action": "rewrite"}]}))
    assert not saved["reading"]["done"]
    assert {one["part"] for one in saved["missing"]} == {"rating", "corrected", "severity", "preference", "confidence"}
    saved = save(desk, "c0001", answer(GOOD, POOR, preferred="same", confidence=1))
    assert saved["reading"]["done"] and saved["missing"] == []
    assert save(desk, "c0003", answer(GOOD))["reading"]["done"], "one candidate needs no preference"


def test_an_answer_sent_twice_is_stored_once(study):
    desk = desk_of(study, "anna")
    first = desk.save(3, 0, "the-same-save", {"candidates": desk.case(3)["reading"]["candidates"], "comment": "x"})
    again = desk.save(3, 0, "the-same-save", {"candidates": desk.case(3)["reading"]["candidates"], "comment": "x"})
    assert first == again and study.journal("anna").readable().last == 1


def test_an_answer_sent_again_after_another_window_saved_is_told_so(study):
    desk = desk_of(study, "anna")
    given = {"candidates": desk.case(3)["reading"]["candidates"], "comment": "x"}
    desk.save(3, 0, "first-window", given)
    desk.save(3, 1, "second-window", {**given, "comment": "y"})
    with pytest.raises(ChangedElsewhere):
        desk.save(3, 0, "first-window", given)
    with pytest.raises(ChangedElsewhere):
        desk.save(1, 0, "first-window", {"candidates": desk.case(1)["reading"]["candidates"]})
    assert study.journal("anna").readable().last == 2


def test_a_window_does_not_overwrite_what_another_one_saved(study):
    desk = desk_of(study, "anna")
    save(desk, "c0003", answer({"rating": 4}), revision=0)
    with pytest.raises(ChangedElsewhere, match="another window"):
        save(desk, "c0003", answer({"rating": 0}), revision=0)
    assert save(desk, "c0003", answer({"rating": 2}))["revision"] == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"candidates": []}, "candidates: expected 1, got 0"),
        ({"candidates": [{"rating": 6}]}, "candidates.0.rating: .*less than or equal to 5"),
        ({"candidates": [{"rating": True}]}, "candidates.0.rating"),
        ({"candidates": [{"rating": "secret text"}]}, "^(?!.*secret).*candidates.0.rating"),
        ({"candidates": [{"errors": {"typo": {}}}]}, "unknown category 'typo'"),
        ({"candidates": [{"errors": counts(false_finding=51)}]}, "less than or equal to 50"),
        ({"candidates": [{}], "preferred": 0}, "one candidate"),
        ({"candidates": [{}], "preferred": 2}, "preferred"),
        ({"candidates": [{}], "extra": 1}, "extra: extra inputs"),
        ({"candidates": [{}], "comment": "x" * 10_001}, "at most 10000"),
        ({"candidates": [{"corrections": [{"line": 2, "action": "delete"}]}]}, "whole number from 0 to 1"),
        ({"candidates": [{"corrections": [{"line": 0, "action": "delete"}] * 2}]}, "corrected twice"),
        ({"candidates": [{"corrections": [{"line": 0, "action": "insert"}]}]}, "an insertion has no line"),
        ({"candidates": [{"corrections": [{"line": 0, "action": "delete", "rating": "bad"}]}]}, "expected one of"),
        ([], "reading: "),
    ],
)
def test_wrong_answers_are_refused(wrong, message, study):
    desk = desk_of(study, "anna")
    position = desk.reader.order.cases.index("c0003") + 1
    with pytest.raises(InputError, match=message):
        desk.save(position, 0, "save-0001", wrong)
    assert study.journal("anna").readable().last == 0


@pytest.mark.parametrize("position", [0, 4, -1])
def test_positions_outside_the_study_are_refused(position, study):
    with pytest.raises(InputError, match="cases 1 to 3"):
        desk_of(study, "anna").case(position)


def test_a_store_is_private_and_has_no_secret_in_it(tmp_path):
    study, token, secrets = make_study(tmp_path)
    files = [path for path in study.folder.rglob("*") if path.is_file()]
    assert len(files) >= 5
    for path in [study.folder, *study.folder.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path
    for path in files:
        for secret in (token, *secrets.values()):
            assert secret.encode() not in path.read_bytes()


def test_another_process_opens_the_same_study(tmp_path):
    study, token, secrets = make_study(tmp_path)
    save(desk_of(study, "anna"), "c0003", answer(GOOD))
    again = open_study(study.folder)
    assert again.reader("anna") == study.reader("anna") and again.asked == study.asked
    assert desk_of(again, "anna").overview()["states"].count("done") == 1
    assert again.knows("anna", secrets["anna"]) and again.knows("owner", token)


def test_secrets_open_only_their_own_door(tmp_path):
    study, token, secrets = make_study(tmp_path)
    assert name_of(open_study(study.folder), log_in(study, "anna", secrets["anna"])) == "anna"
    assert name_of(study, log_in(study, "owner", token)) == "owner"
    for name, secret in (("anna", secrets["bo"]), ("anna", token), ("owner", secrets["anna"]), ("nobody", "x" * 24)):
        with pytest.raises(NotAllowed, match="not valid"):
            log_in(study, name, secret)
    assert link("http://127.0.0.1:7870/", "anna", "s") == "http://127.0.0.1:7870/#anna.s"


def test_a_new_link_ends_the_old_one_and_keeps_the_readings(tmp_path):
    study, token, secrets = make_study(tmp_path)
    save(desk_of(study, "anna"), "c0003", answer(GOOD))
    old = log_in(study, "anna", secrets["anna"])
    new = study.renew_link("anna")
    with pytest.raises(NotAllowed, match="ended"):
        name_of(study, old)
    with pytest.raises(NotAllowed):
        log_in(study, "anna", secrets["anna"])
    assert name_of(study, log_in(study, "anna", new)) == "anna"
    assert desk_of(study, "anna").overview()["states"].count("done") == 1
    other = study.renew_owner()
    assert open_study(study.folder).knows("owner", other) and not open_study(study.folder).knows("owner", token)


@pytest.mark.parametrize("change", [lambda t: t[:-1] + "0", lambda t: "x" + t, lambda t: "", lambda t: t.split(".")[0]])
def test_forged_tokens_are_refused(change, tmp_path):
    study, _, secrets = make_study(tmp_path)
    token = log_in(study, "anna", secrets["anna"])
    forged = change(token)
    if forged != token:
        with pytest.raises(NotAllowed):
            name_of(study, forged)


def test_a_token_ends_after_some_hours(tmp_path, monkeypatch):
    from radeval_core.reading import access

    study, _, secrets = make_study(tmp_path)
    token = log_in(study, "anna", secrets["anna"])
    late = access.time.time() + access.LASTS + 1
    monkeypatch.setattr(access.time, "time", lambda: late)
    with pytest.raises(NotAllowed, match="ended"):
        name_of(study, token)


def test_other_pairs_and_other_folders_are_refused(study, tmp_path):
    other = write_pairs(tmp_path, PAIRS[:3], "other.jsonl")
    with pytest.raises(InputError, match="a study of other pairs"):
        check_same_pairs(study, read_rows(other), other)
    with pytest.raises(InputError, match="just made a study here"):
        create_study(study.folder, read_rows(other))
    with pytest.raises(InputError, match="no study here"):
        open_study(tmp_path / "nothing")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "holiday.jpg").write_bytes(b"")
    with pytest.raises(InputError, match="is not empty"):
        create_study(tmp_path / "full", read_rows(other))


@pytest.mark.parametrize("name", ["", "Anna", "../anna", "owner", "a b", "x" * 41, "ä"])
def test_names_of_readers_are_checked(name, study):
    with pytest.raises(InputError, match="no name of a reader"):
        study.add_reader(name)


def test_a_reader_is_added_once(study):
    with pytest.raises(InputError, match=r"already a reader 'anna'; .*--again"):
        study.add_reader("anna")
    with pytest.raises(InputError, match="unknown reader 'ana': did you mean 'anna'"):
        study.reader("ana")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("study.json", "{", "cannot be read"),
        ("study.json", "{}", "field 'format' is missing"),
        ("readers/anna.json", "[]", "expected a JSON object"),
        ("readers/anna.json", '{"name": "anna"}', "damaged"),
        ("pairs.jsonl", '{"id": 1, "prediction": "", "reference": ""}\n', "changed since the study began"),
    ],
)
def test_damaged_files_are_named(file, content, message, study):
    (study.folder / file).write_text(content)
    with pytest.raises(InputError, match=f"{file}.*{message}"):
        open_study(study.folder).reader("anna")
