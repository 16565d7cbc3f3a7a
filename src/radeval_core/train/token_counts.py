"""Count tokens with the tokenizer of a model folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from radeval_core.errors import CheckpointError, InputError, says_what_to_install


def token_counter(folder: str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text.

    Raises:
        InputError: there is no such folder.
        CheckpointError: the folder has no tokenizer.
    """
    if not Path(folder).is_dir():
        raise InputError(f"--tokenizer {folder}: no such folder: give the folder of a model")
    with says_what_to_install("--tokenizer"):
        from transformers import AutoTokenizer
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise CheckpointError(f"--tokenizer {folder}: no tokenizer can be loaded ({type(error).__name__})") from error
    return lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])
