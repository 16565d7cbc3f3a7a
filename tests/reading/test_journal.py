"""The journal: nothing that was confirmed is lost, cut writes are skipped, damage is an error until it is accepted."""

import json
import threading

import pytest

from radeval_core.errors import InputError, OutputError
from radeval_core.reading import journal as journal_module
from radeval_core.reading.journal import Journal


def entry(case, value, save):
    return {"at": "2026-01-01T00:00:00", "case": case, "save": save, "reading": {"rating": value}}


def add(journal, case, value, save):
    return journal.append(lambda state: entry(case, value, save))


@pytest.fixture
def journal(tmp_path):
    (tmp_path / "journals").mkdir()
    journal = Journal(tmp_path / "journals" / "anna.jsonl")
    for number in range(4):
        add(journal, f"c{number % 3}", number, f"save{number}")
    return journal


def values(journal):
    return {case: found["reading"]["rating"] for case, found in journal.readable().latest.items()}


def rewrite(journal, change):
    lines = journal.path.read_bytes().split(b"\n")
    change(lines)
    journal.path.write_bytes(b"\n".join(lines))
    return Journal(journal.path)


def test_the_newest_entry_of_a_case_counts_also_for_a_new_process(journal):
    assert values(journal) == values(Journal(journal.path)) == {"c0": 3, "c1": 1, "c2": 2}
    assert [json.loads(line)["n"] for line in journal.path.read_bytes().splitlines()] == [1, 2, 3, 4]
    assert journal.path.stat().st_mode & 0o077 == 0


def test_two_processes_see_each_other(journal):
    other = Journal(journal.path)
    add(other, "c9", 9, "save9")
    add(journal, "c8", 8, "save8")
    assert values(other) == values(journal) == {"c0": 3, "c1": 1, "c2": 2, "c8": 8, "c9": 9}


def test_writers_at_the_same_time_lose_and_double_nothing(journal):
    writers = [Journal(journal.path) for _ in range(4)]
    threads = [
        threading.Thread(target=lambda w=w, j=j: [add(j, f"w{w}-{i}", i, f"save-{w}-{i}") for i in range(25)])
        for w, j in enumerate(writers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = Journal(journal.path).readable()
    assert state.last == 104 and len(state.latest) == 103 and not state.cut


@pytest.mark.parametrize("kept", [1, 20, 100])
def test_a_write_that_was_cut_off_is_skipped_and_its_number_used_again(journal, kept):
    whole = journal.path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    journal.path.write_bytes(whole + last.replace(b'"n": 4', b'"n": 5')[:kept])
    again = Journal(journal.path)
    assert values(again) == {"c0": 3, "c1": 1, "c2": 2}
    add(again, "c1", 7, "save7")
    state = Journal(journal.path).readable()
    assert state.last == 5 and state.cut == [5] and state.latest["c1"]["reading"] == {"rating": 7}


def test_a_damaged_line_is_named_and_nothing_is_written_after_it(journal):
    damaged = rewrite(journal, lambda lines: lines.__setitem__(1, lines[1].replace(b'"rating": 1', b'"rating": 5')))
    before = journal.path.read_bytes()
    with pytest.raises(InputError, match=r"anna\.jsonl: line 2 is damaged .*radeval read repair --store"):
        damaged.readable()
    with pytest.raises(InputError, match="line 2 is damaged"):
        add(damaged, "c5", 5, "save5")
    assert journal.path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda lines: lines.__setitem__(3, b"\0" * 40), 4),
        (lambda lines: lines.__setitem__(0, b"{"), 1),
        (lambda lines: lines.pop(1), 2),
        (lambda lines: lines.insert(1, lines[0]), 2),
        (lambda lines: lines.__setitem__(2, b"[" * 100_000), 3),
    ],
    ids=["zeros at the end", "cut in the middle", "removed", "doubled", "deep"],
)
def test_every_kind_of_damage_can_be_accepted_and_stays_in_the_file(journal, change, line):
    damaged = rewrite(journal, change)
    before = journal.path.read_bytes()
    with pytest.raises(InputError, match=f"line {line} is damaged"):
        damaged.readable()
    assert damaged.accept_damage("2026-01-02") == [line]
    assert journal.path.read_bytes().startswith(before)
    add(damaged, "c7", 7, "save7")
    state = Journal(journal.path).readable()
    assert state.latest["c7"]["reading"] == {"rating": 7} and state.latest["c0"]
    assert Journal(journal.path).accept_damage("2026-01-03") == []


def test_a_backup_put_in_place_is_read_from_its_start(journal, tmp_path):
    backup = journal.path.read_bytes()
    add(journal, "c0", 8, "save8")
    assert values(journal)["c0"] == 8
    copy = tmp_path / "copy"
    copy.write_bytes(backup)
    copy.replace(journal.path)
    assert values(journal)["c0"] == 3


def test_a_full_disk_is_an_error_and_leaves_the_file_as_it_was(journal, monkeypatch):
    before = journal.path.read_bytes()
    real = journal_module.os.write
    monkeypatch.setattr(journal_module.os, "write", lambda handle, data: real(handle, data[:10]))
    with pytest.raises(OutputError, match="the disk is full"):
        add(journal, "c0", 9, "save9")
    monkeypatch.undo()
    assert journal.path.read_bytes() == before
    assert add(journal, "c0", 9, "save9").last == 5
