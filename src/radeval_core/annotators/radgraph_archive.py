"""Reads and checks the published archives of RadGraph models: `config.json`, label files and tensors.

An archive comes from a model trained with DyGIE++ on AllenNLP. All settings are read from its files. A setting that
this reader does not support is an error that names it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from radeval_core.engine.files import checkpoint_file, is_folder, read_archive
from radeval_core.engine.tensors import read_torch_file
from radeval_core.errors import CheckpointError

ENDING = ".tar.gz"
_WANTED = ("config.json", "weights.th", "vocabulary/*.txt")
_EMBEDDER = "pretrained_transformer_mismatched"
#: sizes in published models are far below this
_LARGEST_SETTING = 65_536
#: embedder settings that change word vectors, with the only supported values
_EMBEDDER_DEFAULTS = {"last_layer_only": True, "sub_token_mode": "avg", "sub_module": None}


@dataclass(frozen=True)
class SpanModelConfig:
    """The settings of an archive's model.

    Attributes:
        encoder: Hub name of the encoder.
        embedder: the name of the encoder in the file.
        max_length: tokens per window, including special tokens; None for the encoder's maximum.
        max_span_width: maximum words per span.
        feature_size: size of the embedding of a span's width.
        spans_per_word: number of candidate spans kept per word.
        hidden: widths of the hidden layers of each scoring net.
        kind: name of the training set, part of the names of label files and tensors.
        ner_labels: labels of entities, in the order of the scorer, without the empty one.
        relation_labels: labels of relations, in the order of the scorer.
    """

    encoder: str
    embedder: str
    max_length: int | None
    max_span_width: int
    feature_size: int
    spans_per_word: float
    hidden: tuple[int, ...]
    kind: str
    ner_labels: tuple[str, ...]
    relation_labels: tuple[str, ...]


def find_archive(source: str, name: str | None = None) -> Path:
    """Return the path of a checkpoint's archive.

    Args:
        source: folder with one archive, or Hub id.
        name: the archive on the Hub without its ending; by default the last part of the id.
    """
    if not is_folder(source):
        return checkpoint_file(source, f"{name or source.rpartition('/')[2]}{ENDING}")
    found = sorted(Path(source).glob(f"*{ENDING}"))
    same_name = [file for file in found if file.name == f"{Path(source).resolve().name}{ENDING}"]
    if len(found) != 1 and not same_name:
        what = f"{len(found)} of them: {', '.join(file.name for file in found)}" if found else "none"
        raise CheckpointError(f"folder {source!r} must have one archive *{ENDING}, but it has {what}")
    return (same_name or found)[0]


def read_model(archive: Path) -> tuple[SpanModelConfig, dict[str, Any]]:
    """Return the settings of an archive's model, and the model's tensors by name."""
    files = _by_name(read_archive(archive, _WANTED))
    for name in ("config.json", "weights.th"):
        if name not in files:
            raise CheckpointError(f"{archive} has no file {name!r}")
    config = _config(archive, files)
    tensors = read_torch_file(BytesIO(files["weights.th"]), f"{archive}: weights.th")
    if not isinstance(tensors, Mapping):
        raise CheckpointError(f"{archive}: weights.th must contain tensors by name, not a {type(tensors).__name__}")
    return config, dict(tensors)


def _by_name(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files by their path below an optional top folder; of equal paths, the outermost file counts."""
    files: dict[str, bytes] = {}
    for member in sorted(members, key=lambda name: -len(PurePosixPath(name).parts)):
        path = PurePosixPath(member)
        if not path.is_absolute() and ".." not in path.parts:
            inside = path.parts[-2:] if path.parent.name == "vocabulary" else path.parts[-1:]
            files["/".join(inside)] = members[member]
    return files


def _config(archive: Path, files: Mapping[str, bytes]) -> SpanModelConfig:
    where = f"{archive}: config.json"
    try:
        settings = json.loads(files["config.json"])
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{where} is damaged: {type(error).__name__}") from error
    embedders = _field(settings, "model.embedder.token_embedders", dict, where)
    if len(embedders) != 1:
        raise CheckpointError(f"{where}: 'model.embedder.token_embedders' must have one entry, got {len(embedders)}")
    (embedder,) = embedders
    path = f"model.embedder.token_embedders.{embedder}"
    _check_embedder(_field(settings, path, dict, where), path, where)
    encoder = _field(settings, f"{path}.model_name", str, where)
    if PurePosixPath(encoder).is_absolute() or ".." in PurePosixPath(encoder).parts or not encoder:
        raise CheckpointError(f"{where}: '{path}.model_name' must be the Hub name of an encoder, got {encoder!r}")
    kind, ner = _labels(archive, files, "ner_labels")
    other, relations = _labels(archive, files, "relation_labels")
    if kind != other:
        raise CheckpointError(f"{archive}: the label files belong to different training sets, {kind!r} and {other!r}")
    if ner[:1] != ("",):
        raise CheckpointError(f"{archive}: vocabulary/{kind}__ner_labels.txt must begin with an empty line (no entity)")
    return SpanModelConfig(
        encoder=encoder,
        embedder=embedder,
        max_length=_field(settings, f"{path}.max_length", int, where, optional=True),
        max_span_width=_field(settings, "model.max_span_width", int, where),
        feature_size=_field(settings, "model.feature_size", int, where),
        spans_per_word=float(_field(settings, "model.modules.relation.spans_per_word", float, where)),
        hidden=_hidden(settings, where),
        kind=kind,
        ner_labels=ner[1:],
        relation_labels=relations,
    )


def _check_embedder(settings: Mapping[str, Any], path: str, where: str) -> None:
    """Raise an error if the embedder computes word vectors in an unsupported way."""
    for name, expected in {"type": _EMBEDDER, **_EMBEDDER_DEFAULTS}.items():
        if settings.get(name, expected) != expected:
            raise CheckpointError(f"{where}: '{path}.{name}' is {settings[name]!r}: only {expected!r} is supported")


def _hidden(settings: Any, where: str) -> tuple[int, ...]:
    """Return the widths of the hidden layers, given as one number for all or as a list."""
    path = "model.feedforward_params"
    layers = _field(settings, f"{path}.num_layers", int, where)
    widths = _field(settings, f"{path}.hidden_dims", (int, list), where)
    widths = [widths] * layers if isinstance(widths, int) else widths
    if len(widths) != layers or any(type(width) is not int or width < 1 for width in widths):
        raise CheckpointError(f"{where}: '{path}.hidden_dims' must give {layers} widths, got {widths!r}")
    return tuple(widths)


def _field(settings: Any, path: str, kind: type | tuple[type, ...], where: str, optional: bool = False) -> Any:
    """Return a setting by its dotted path; check its type, and that numbers are above 0."""
    value = settings
    for i, key in enumerate(path.split(".")):
        value = value.get(key) if isinstance(value, Mapping) else None
        if value is None:
            if optional:
                return None
            raise CheckpointError(f"{where} lacks '{'.'.join(path.split('.')[: i + 1])}'")
    kinds = (int, float) if kind is float else kind
    if isinstance(value, bool) or not isinstance(value, kinds) or (isinstance(value, (int, float)) and value <= 0):
        names = {int: "a whole number above 0", float: "a number above 0", str: "a text", dict: "a table"}
        expected = names[kind] if isinstance(kind, type) else "a whole number above 0, or a list of them"
        raise CheckpointError(f"{where}: '{path}' must be {expected}, got {value!r}")
    if isinstance(value, (int, float)) and not value <= _LARGEST_SETTING:
        raise CheckpointError(f"{where}: '{path}' is {value:.3g}, more than any published model has")
    return value


def _labels(archive: Path, files: Mapping[str, bytes], what: str) -> tuple[str, tuple[str, ...]]:
    """Return the training set's name and its labels, in order."""
    ending = f"__{what}.txt"
    found = {path.removeprefix("vocabulary/"): data for path, data in files.items() if path.endswith(ending)}
    if len(found) != 1:
        names = ", ".join(sorted(found)) or "none"
        raise CheckpointError(f"{archive} must have one file vocabulary/*{ending}, but it has: {names}")
    ((name, data),) = found.items()
    try:
        lines = data.decode("utf-8").replace("\r\n", "\n").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"{archive}: vocabulary/{name} is not text") from error
    if len(set(lines)) != len(lines):
        raise CheckpointError(f"{archive}: vocabulary/{name} contains a label twice")
    return name.removesuffix(ending), tuple(lines)
