"""Make answers follow a JSON schema: tokens that would break it are never chosen."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from radeval_core.errors import InputError, needs_extra


class JsonGrammars:
    """Grammars of JSON schemas for one model's vocabulary, each compiled once.

    Args:
        tokenizer: the model's tokenizer.
        vocabulary: number of tokens the model chooses from, including the padding of its table.
        ends: tokens that end an answer.
    """

    def __init__(self, tokenizer: Any, vocabulary: int, ends: Collection[int]) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        self._ends = sorted(ends)
        self._compiler: Any = None
        self._compiled: dict[str, Any] = {}

    def processor(self, schema: dict[str, Any]) -> Any:
        """Return a logits processor for one batch."""
        try:
            import xgrammar
            from xgrammar.contrib.hf import LogitsProcessor
        except ImportError as error:
            raise needs_extra("judges", "an answer that must follow a JSON schema") from error
        text = json.dumps(schema)  # keeps the order of the keys, which is also their order in the answer
        if text not in self._compiled:
            if self._compiler is None:
                vocabulary = xgrammar.TokenizerInfo.from_huggingface(
                    self._tokenizer, vocab_size=self._vocabulary, stop_token_ids=self._ends
                )
                self._compiler = xgrammar.GrammarCompiler(vocabulary)
            try:
                # if any white space were allowed, a small model might write blanks up to the limit
                self._compiled[text] = self._compiler.compile_json_schema(text, any_whitespace=False)
            except (RuntimeError, ValueError) as error:
                raise InputError(f"the JSON schema of the answer cannot be enforced: {error}") from error
        return LogitsProcessor(self._compiled[text])
