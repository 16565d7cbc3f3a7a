"""A tiny random Llama with a byte-level tokenizer and a chat template, in the published file layout."""

from pathlib import Path

TEMPLATE = (
    "{% for m in messages %}<|turn|>{{ m['role'] }}\n{{ m['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)


def make_tiny_llama(folder: Path, texts: list[str], seed: int = 0, context: int = 512) -> Path:
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    bpe = ByteLevelBPETokenizer()
    special = ["<s>", "</s>", "<unk>", "<|turn|>"]
    bpe.train_from_iterator(texts, vocab_size=400, special_tokens=special, show_progress=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        additional_special_tokens=["<|turn|>"], chat_template=TEMPLATE,
    )  # fmt: skip
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=context, initializer_range=0.5, bos_token_id=0, eos_token_id=1,
        pad_token_id=None,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    model.generation_config.do_sample = True  # published checkpoints often sample by default; a judge must not
    model.save_pretrained(folder)
    return folder
