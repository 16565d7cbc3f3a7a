"""Make tiny random checkpoints in the published file layouts."""

from collections.abc import Iterable
from pathlib import Path


def make_tiny_bert(folder: Path, texts: Iterable[str], seed: int = 0, layers: int = 2, limit: int = 64) -> Path:
    """Write config.json, model.safetensors and a WordPiece tokenizer whose vocabulary is the words of the texts."""
    import re

    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    words = sorted({w for text in texts for w in re.findall(r"\w+|[^\w\s]", text.lower())})
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    pieces += [p for p in [*letters, *(f"##{c}" for c in letters), *"0123456789"] if p not in pieces]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", "utf-8")
    tokenizer = BertTokenizer(vocab=str(folder / "vocab.txt"), model_max_length=limit)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=layers, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=limit, initializer_range=0.5,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return folder
