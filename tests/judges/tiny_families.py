"""Tiny random causal models of other families than Llama, in the published file layout, each with its own end token."""

from pathlib import Path

#: configuration class and end token of the families of GREEN's smaller checkpoints
FAMILIES = {"Phi3": "<|endoftext|>", "Gemma": "<eos>"}


def make_tiny_model(family: str, folder: Path, texts: list[str], context: int = 4096) -> Path:
    import torch
    import transformers
    from tokenizers import ByteLevelBPETokenizer

    end = FAMILIES[family]
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(texts, vocab_size=300, special_tokens=["<bos>", end, "<unk>"], show_progress=False)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, bos_token="<bos>", eos_token=end, unk_token="<unk>"
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = getattr(transformers, f"{family}Config")(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, max_position_embeddings=context, bos_token_id=0, eos_token_id=1,
        pad_token_id=1,
    )  # fmt: skip
    getattr(transformers, f"{family}ForCausalLM")(config).save_pretrained(folder)
    return folder
