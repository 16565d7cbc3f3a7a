"""Checkpoints are untrusted: their code is never run, damage is one line that names the file, and sizes are bounded."""

import ast
import gzip
import io
import json
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

from radeval_core.engine import files
from radeval_core.engine.files import read_archive
from radeval_core.errors import CheckpointError

SRC = Path(__file__).parents[2] / "src" / "radeval_core"
PARITY = Path(__file__).parents[1] / "parity"
WANTED = ["config.json", "weights.th", "vocabulary/*.txt"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """Make a folder with a tiny BERT and its tokenizer."""
    import torch
    import transformers

    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "heart", "lungs"]
    (folder / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizer(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=7, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def copy(encoder, tmp_path):
    return shutil.copytree(encoder, tmp_path / "model")


def load(folder):
    import torch

    from radeval_core.engine.checkpoints import load_encoder

    return load_encoder(str(folder), None, torch.float32, str(folder))


def test_no_loader_in_the_package_may_run_code_of_a_checkpoint():
    """Every call of a loader says trust_remote_code=False, or goes through `pretrained`, which does."""
    loose = []
    for file in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call):
                continue
            names = [ast.unparse(node.func), *(ast.unparse(a) for a in node.args[:1])]
            if any(n.endswith((".from_pretrained", "AutoModel.from_config", "SentenceTransformer")) for n in names):
                given = {k.arg: ast.unparse(k.value) for k in node.keywords}
                if given.get("trust_remote_code") != "False":
                    loose.append(f"{file.name}:{node.lineno}")
    assert not loose


@pytest.mark.parametrize("answer", ["y", ""])
def test_code_of_a_checkpoint_is_refused_whatever_the_user_types(copy, monkeypatch, answer):
    config = json.loads((copy / "config.json").read_text())
    config |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}
    (copy / "config.json").write_text(json.dumps(config))
    ran = copy / "ran"
    (copy / "evil.py").write_text(f"open({str(ran)!r}, 'w').write('x')\n")
    monkeypatch.setattr("builtins.input", lambda *_: answer)
    with pytest.raises(CheckpointError, match="needs Python code that comes with the checkpoint") as raised:
        load(copy)
    assert not ran.exists() and "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"])
@pytest.mark.parametrize("damage", ["cut", "empty", "noise"])
def test_a_damaged_file_is_named_in_one_line(copy, name, damage):
    data = (copy / name).read_bytes()
    (copy / name).write_bytes({"cut": data[: len(data) // 2], "empty": b"", "noise": b"\xff\xfe" + data[2:]}[damage])
    with pytest.raises(CheckpointError) as raised:
        load(copy)
    assert name in str(raised.value) and "\n" not in str(raised.value)
    assert ("is empty" if damage == "empty" else "is damaged") in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"\x80\x02}q\xff", b"\x80\x05\xff", b"\0" * 999, b"{}"])
def test_weights_of_a_pickle_that_are_damaged_are_named(tmp_path, content):
    from radeval_core.engine.tensors import read_torch_file

    (tmp_path / "chexbert.pth").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"^chexbert\.pth .*damaged") as raised:
        read_torch_file(tmp_path / "chexbert.pth", "chexbert.pth")
    assert "\n" not in str(raised.value)


def test_weights_that_unpack_to_more_than_their_size_are_refused(tmp_path):
    import torch

    from radeval_core.engine.tensors import read_torch_file

    whole, small = tmp_path / "whole.pth", tmp_path / "small.pth"
    torch.save({"a": torch.zeros(1 << 20)}, whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as target:
        for member in source.infolist():
            target.writestr(member.filename, source.read(member))
    assert small.stat().st_size < 10_000
    with pytest.raises(CheckpointError, match=r"small\.pth is compressed inside"):
        read_torch_file(small, "small.pth")
    for file in (whole, io.BytesIO(whole.read_bytes())):
        assert set(read_torch_file(file, "whole.pth")) == {"a"}


@pytest.mark.parametrize("content", [b"", b"GGUF\3\0\0\0" + b"\xff" * 40, b"noise"])
def test_a_damaged_gguf_file_is_named(tmp_path, content):
    import torch

    from radeval_core.judges.backends.transformers_backend import load_causal_lm

    (tmp_path / "model.gguf").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"model\.gguf is (empty|damaged)"):
        load_causal_lm(str(tmp_path), torch.float32, None)


def sparse_archive(path):
    """Write a tar file of a few bytes whose one member claims 3 GB of holes, in GNU's old sparse format."""
    header = tarfile.TarInfo("weights.th")
    block = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    block[156:157] = tarfile.GNUTYPE_SPARSE
    block[124:136] = b"00000000000\0"
    block[483:495] = b"%011o\0" % (3 << 30)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    path.write_bytes(gzip.compress(bytes(block) + b"\0" * 1024))
    return path


def test_a_sparse_member_is_refused_before_it_takes_memory(tmp_path):
    file = sparse_archive(tmp_path / "radgraph.tar.gz")
    assert file.stat().st_size < 250
    with pytest.raises(CheckpointError, match="is a sparse file"):
        read_archive(file, WANTED)


class Zeros(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, buffer):
        buffer[:] = bytes(len(buffer))
        return len(buffer)


@pytest.mark.parametrize("name", ["weights.th", "not_wanted.bin"])
def test_an_archive_cannot_unpack_to_far_more_than_its_size(tmp_path, name):
    file = tmp_path / "bomb.tar.gz"
    with tarfile.open(file, "w:gz", compresslevel=1) as tar:
        info = tarfile.TarInfo(name)
        info.size = 32 << 20
        tar.addfile(info, io.BufferedReader(Zeros()))
    with pytest.raises(CheckpointError, match="more than the archive can hold"):
        read_archive(file, WANTED)


def test_members_are_counted(tmp_path):
    file = tmp_path / "many.tar.gz"
    with tarfile.open(file, "w:gz", compresslevel=1) as tar:
        for i in range(1100):
            tar.addfile(tarfile.TarInfo(f"vocabulary/{i}.txt"))
    with pytest.raises(CheckpointError, match="more than 1,000 files"):
        read_archive(file, WANTED)


@pytest.mark.parametrize("name", ["radgraph", "radgraph-xl"])
def test_archives_in_the_published_layout_are_within_the_bounds(name):
    for file in PARITY.glob(f"{name}/*.tar.gz"):
        assert read_archive(file, WANTED)


class Session:
    """Counts requests to the Hub; nothing answers."""

    def __init__(self):
        self.asked, self.error = [], OSError("no route")

    def head(self, address, timeout, follow_redirects):
        self.asked.append((address, timeout))
        if self.error:
            raise self.error


@pytest.fixture
def hub(monkeypatch):
    session = Session()
    monkeypatch.setattr(files, "get_session", lambda: session)
    monkeypatch.setattr(files, "_unreachable", {})
    return session


def missing_locally(source, local_files_only=False, **_):
    if local_files_only:
        raise OSError("not in the cache")
    return "downloaded"


def test_offline_the_hub_is_asked_once_and_briefly(hub, monkeypatch):
    monkeypatch.setattr(files.constants, "HF_HUB_OFFLINE", False)
    for _ in range(3):
        with pytest.raises(OSError, match="the Hub cannot be reached"):
            files.local_first(missing_locally, "org/model")
    assert len(hub.asked) == 1 and hub.asked[0][1] <= 5


def test_a_hub_that_answers_is_used(hub, monkeypatch):
    monkeypatch.setattr(files.constants, "HF_HUB_OFFLINE", False)
    hub.error = None
    assert files.local_first(missing_locally, "org/model") == "downloaded"


def test_with_hf_hub_offline_the_network_is_not_asked(hub, monkeypatch):
    monkeypatch.setattr(files.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(CheckpointError, match=r"cannot load checkpoint 'org/model'.*hf download org/model"):
        load("org/model")
    assert not hub.asked
