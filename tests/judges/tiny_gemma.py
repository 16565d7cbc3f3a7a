"""A tiny random Gemma 3 text model with a byte-level tokenizer and a chat template of Gemma's form, as published."""

from pathlib import Path

#: turns as Gemma 3 writes them: no system turn, its text begins the first user turn, and texts are trimmed
TEMPLATE = (
    "{{ bos_token }}"
    "{% set told = messages[0]['content'] + '\n\n' if messages[0]['role'] == 'system' else '' %}"
    "{% for m in messages if m['role'] != 'system' %}"
    "<start_of_turn>{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n"
    "{{ told if loop.first else '' }}{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)


def make_tiny_gemma(folder: Path, texts: list[str], seed: int = 0, context: int = 16_384) -> Path:
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig, PreTrainedTokenizerFast

    bpe = ByteLevelBPETokenizer()
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"]
    bpe.train_from_iterator(texts, vocab_size=500, special_tokens=special, show_progress=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, pad_token="<pad>", eos_token="<eos>", bos_token="<bos>", unk_token="<unk>",
        additional_special_tokens=special[4:], chat_template=TEMPLATE,
    )  # fmt: skip
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = Gemma3TextConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=8, query_pre_attn_scalar=8, sliding_window=64, max_position_embeddings=context,
        initializer_range=0.5, layer_types=["sliding_attention", "full_attention"],
    )  # fmt: skip
    model = Gemma3ForCausalLM(config)
    # Gemma's published settings sample and end at the end of a turn
    model.generation_config.do_sample = True
    model.generation_config.eos_token_id = [1, 5]
    model.save_pretrained(folder)
    return folder
