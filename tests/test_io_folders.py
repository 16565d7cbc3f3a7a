"""A folder is replaced in one step; a build that fails or is killed leaves the earlier one."""

import os
import stat

import pytest

from radeval_core.errors import InputError
from radeval_core.io import folders
from radeval_core.io.folders import check_folder, replacing_folder

LAST = "done.json"


def build(out, text, fail=False, private=False):
    target = check_folder(out, LAST)
    with replacing_folder(target, LAST, private) as part:
        (part / "deep").mkdir()
        (part / "deep" / "data").write_text(text)
        if fail:
            raise OSError(28, "No space left on device")
        (part / LAST).write_text(text)


def content(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def whole(text):
    return {"deep/data": text, LAST: text}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_is_replaced_and_nothing_is_left_beside_it(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
    build(tmp_path / "new" / "out", "one")
    build(tmp_path / "new" / "out", "two")
    assert content(tmp_path / "new" / "out") == whole("two") and names(tmp_path / "new") == ["out"]


def test_the_exchange_is_used_where_the_system_has_it(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    assert folders._exchange(tmp_path / "a", tmp_path / "b") and names(tmp_path / "a") == ["b"]


@pytest.mark.parametrize("exchange", [True, False])
def test_a_failed_build_leaves_the_earlier_one(tmp_path, monkeypatch, exchange):
    build(tmp_path / "out", "one")
    with pytest.raises(OSError, match="No space"):
        build(tmp_path / "out", "two", fail=True)
    assert content(tmp_path / "out") == whole("one") and names(tmp_path) == ["out"]
    rename = os.rename

    def refuse(one, other):
        if str(other).endswith("out") and str(one).endswith(".part"):
            raise OSError(5, "Input/output error")
        rename(one, other)

    monkeypatch.setattr(folders, "_exchange", lambda one, other: False)
    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(OSError, match="Input/output"):
        build(tmp_path / "out", "two")
    assert content(tmp_path / "out") == whole("one")


def test_a_crash_between_the_two_renames_is_mended(tmp_path):
    build(tmp_path / "out", "one")
    (tmp_path / ".out.abc.radeval.old").mkdir()
    (tmp_path / "out").rename(tmp_path / ".out.abc.radeval.old" / "old")
    check_folder(tmp_path / "out", LAST)
    assert content(tmp_path / "out") == whole("one") and names(tmp_path) == ["out"]


def test_modes_and_links_stay_and_a_new_private_folder_is_private(tmp_path):
    (tmp_path / "real").mkdir(mode=0o750)
    (tmp_path / "link").symlink_to("real")
    build(tmp_path / "link", "one", private=True)
    build(tmp_path / "fresh", "one", private=True)
    assert (tmp_path / "link").is_symlink() and content(tmp_path / "real") == whole("one")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("real", "fresh", "real/deep/data")]
    assert modes == [0o750, 0o700, 0o600]


def test_the_folder_one_works_in_is_filled_and_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    build(".", "one")
    assert content(tmp_path) == whole("one") and os.path.samefile(".", tmp_path)
    with pytest.raises(InputError, match="is the folder you are in"):
        build(".", "two")


def test_a_move_into_such_a_folder_is_finished_after_a_crash(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    part = tmp_path / ".build.abc.radeval.part"
    (part / "deep").mkdir(parents=True)
    (part / LAST).write_text("one")
    (part / "deep" / "data").write_text("one")
    (part / "deep").rename(tmp_path / "deep")
    with pytest.raises(InputError, match="is the folder you are in"):
        check_folder(tmp_path, LAST)
    assert content(tmp_path) == whole("one")


def test_a_file_and_a_folder_without_rights_are_refused(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file; give a folder"):
        check_folder(tmp_path / "file", LAST)
