"""Upload a trained model to a model repository on the Hub: the model, its card and its curves, never its data."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from radeval_core.errors import InputError
from radeval_core.hub.publish import upload_folder
from radeval_core.train.run_folder import CHECKPOINTS, RUN, read_run

#: the files of a model by name; nothing else is uploaded, above all no rows, no answers and no checkpoints
_MODEL_FILES = (
    "README.md", "curves.png", RUN, "ratescore.json", "*.safetensors", "*.safetensors.index.json", "config.json",
    "generation_config.json", "preprocessor_config.json", "tokenizer*.json", "tokenizer.model", "chat_template.jinja",
    "special_tokens_map.json", "added_tokens.json", "vocab.*", "merges.txt", "spiece.model", "spm.model",
    "sentencepiece.bpe.model",
)  # fmt: skip


def model_files(folder: Path) -> list[str]:
    """Return the files to upload, as paths in the folder.

    Raises:
        InputError: the folder has no complete run, or no model.
    """
    if read_run(folder).get("results") is None:
        raise InputError(f"{folder} has a run that is not complete: type its `radeval train` command again to go on")
    files = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    found = [
        str(path)
        for path in files
        if path.parts[0] != CHECKPOINTS and any(fnmatchcase(path.name, wanted) for wanted in _MODEL_FILES)
    ]
    for needed in ("README.md", "*.safetensors"):
        if not any(fnmatchcase(name, needed) for name in found):
            raise InputError(f"{folder} has no {needed}: the folder is not as `radeval train` left it")
    return found


def publish_model(folder: Path, org: str, name: str | None = None) -> str:
    """Create or update the model repository `org/name` and return its address.

    Args:
        folder: the `--out` folder of a complete run.
        org: the user or organisation.
        name: the repository's name; the folder's by default.
    """
    return upload_folder(folder, org, name or folder.resolve().name, "model", files=model_files(folder))
