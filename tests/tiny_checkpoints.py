"""Tiny random checkpoints in the published file layouts, made on the spot."""

from collections.abc import Iterable
from pathlib import Path


def make_tiny_bert(folder: Path, texts: Iterable[str], seed: int = 0, layers: int = 2, limit: int = 64) -> Path:
    """Write config.json, model.safetensors and a WordPiece tokenizer with the words of some texts."""
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


def make_tiny_roberta(folder: Path, texts: Iterable[str], seed: int = 0, layers: int = 2, limit: int = 64) -> Path:
    """Write a RoBERTa in the layout of distilroberta-base: byte-level BPE, positions that start after padding."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizer

    bpe = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe.train_from_iterator(texts, vocab_size=500, special_tokens=special, show_progress=False)
    bpe.save_model(str(folder))
    RobertaTokenizer.from_pretrained(folder, model_max_length=limit).save_pretrained(folder)
    torch.manual_seed(seed)
    config = RobertaConfig(
        vocab_size=bpe.get_vocab_size(), hidden_size=16, num_hidden_layers=layers, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=limit + 2, type_vocab_size=1, initializer_range=0.5,
        bos_token_id=0, pad_token_id=1, eos_token_id=2,
    )  # fmt: skip
    RobertaModel(config).save_pretrained(folder)
    return folder
