"""The journal keeps every answer, also after a crash and on a full disk."""

import errno
import os
import stat

import pytest

from radeval_core.errors import InputError, OutputError
from radeval_core.train.annotate.journal import KeptAnswer, answer_key, kept_answers, open_journal


def test_answers_are_there_for_the_next_run_and_for_their_owner_alone(tmp_path):
    path = tmp_path / "train.jsonl.journal"
    assert kept_answers(path) == {}
    with open_journal(path) as journal:
        journal.keep("a", KeptAnswer("yes\nno"))
        journal.keep("b", KeptAnswer("?", "the answer is unreadable"))
    with open_journal(path) as journal:
        assert journal.kept == {"a": KeptAnswer("yes\nno"), "b": KeptAnswer("?", "the answer is unreadable")}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_torn_line_is_cut_off_and_the_rest_goes_on(tmp_path, caplog):
    path = tmp_path / "journal"
    with open_journal(path) as journal:
        journal.keep("a", KeptAnswer("1"))
    with path.open("ab") as file:
        file.write(b'{"key": "b", "ans')
    with open_journal(path) as journal:
        assert set(journal.kept) == {"a"}
        journal.keep("c", KeptAnswer("3"))
    assert set(kept_answers(path)) == {"a", "c"}
    path.write_bytes(path.read_bytes().replace(b'"c"', b'"c'))
    assert set(kept_answers(path)) == {"a"}
    assert "1 lines are damaged" in caplog.text


def test_a_full_disk_stops_the_run_and_leaves_earlier_answers(tmp_path, monkeypatch):
    path = tmp_path / "journal"
    write = os.write
    with open_journal(path) as journal:
        journal.keep("a", KeptAnswer("1"))

        def full(handle, data):
            if len(data) > 20:
                return write(handle, data[:20])
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OutputError, match=r"cannot write .*: No space left on device"):
            journal.keep("b", KeptAnswer("2"))
    monkeypatch.undo()
    assert path.read_bytes().count(b"\n") == 1
    assert set(kept_answers(path)) == {"a"}


def test_another_run_and_another_file_are_refused(tmp_path):
    path = tmp_path / "journal"
    with open_journal(path), pytest.raises(InputError, match="another run is writing"), open_journal(path):
        pass
    path.write_text("my notes\n", "utf-8")
    with pytest.raises(InputError, match="is no journal of answers"), open_journal(path):
        pass
    assert path.read_text("utf-8") == "my notes\n"


def test_teacher_and_patient_are_part_of_the_key():
    keys = {answer_key("a", "r", "p", None), answer_key("b", "r", "p", None), answer_key("a", "r", "p", {"age": "7"})}
    assert len(keys) == 3
