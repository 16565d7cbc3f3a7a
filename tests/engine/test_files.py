"""Files of checkpoints: where they are found, how they are identified, and what an archive must not do."""

import io
import os
import tarfile

import pytest
from huggingface_hub import hf_hub_download

from radeval_core.engine.files import checkpoint_file, files_identity, read_archive
from radeval_core.errors import CheckpointError


def archive(path, members, mode="w:gz"):
    with tarfile.open(path, mode) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def test_wanted_members_are_read_inside_any_top_folder(tmp_path):
    file = archive(tmp_path / "a.tar.gz", {"top/config.json": b"{}", "top/vocabulary/a.txt": b"x", "top/other": b"y"})
    assert read_archive(file, ["config.json", "vocabulary/*.txt"]) == {
        "top/config.json": b"{}",
        "top/vocabulary/a.txt": b"x",
    }


def test_nothing_is_unpacked(tmp_path, monkeypatch):
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    target = tmp_path / "config.json"
    file = tmp_path / "evil.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        for name in ("../config.json", str(target)):
            info = tarfile.TarInfo(name)
            info.size = 4
            tar.addfile(info, io.BytesIO(b"evil"))
        link = tarfile.TarInfo("weights.th")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    found = read_archive(file, ["config.json", "weights.th"])
    assert "weights.th" not in found
    assert not target.exists() and os.listdir(inside) == []


@pytest.mark.parametrize("keep", [0, 10, 200])
def test_a_damaged_archive_is_named(tmp_path, keep):
    file = archive(tmp_path / "a.tar.gz", {"config.json": os.urandom(5000)})
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match=r"a\.tar\.gz is damaged or not a tar archive"):
        read_archive(file, ["config.json"])


def test_a_file_is_found_in_a_folder(tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"1")
    assert checkpoint_file(str(tmp_path), "weights.bin") == tmp_path / "weights.bin"
    with pytest.raises(CheckpointError, match=r"has no file 'other\.bin'"):
        checkpoint_file(str(tmp_path), "other.bin")


def test_a_file_that_cannot_be_downloaded_says_what_to_type():
    with pytest.raises(CheckpointError, match=r"type `hf download org/model weights\.bin`, or name a local folder"):
        checkpoint_file("org/model", "weights.bin")


def test_a_file_in_the_hub_cache_is_used_without_a_request(tmp_path, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--org--model"
    snapshot = repository / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (snapshot / "weights.bin").write_bytes(b"1")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)

    def download(*args, local_files_only=False, **kwargs):
        assert local_files_only, "the Hub was asked"
        return hf_hub_download(*args, local_files_only=True, cache_dir=tmp_path, **kwargs)

    monkeypatch.setattr("radeval_core.engine.files.hf_hub_download", download)
    file = checkpoint_file("org/model", "weights.bin")
    assert file == snapshot / "weights.bin"
    assert files_identity("org/model", [file]) == "org/model@01234567"


def test_the_identity_of_local_files_follows_their_content(tmp_path):
    file = tmp_path / "weights.bin"
    file.write_bytes(b"1")
    first = files_identity("mine", [file])
    assert first.startswith("mine@") and files_identity("mine", [file]) == first
    file.write_bytes(b"22")
    assert files_identity("mine", [file]) != first
