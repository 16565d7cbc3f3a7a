"""Train a tiny encoder-decoder with `Seq2SeqTrainer` and score the impressions it generates.

Usage: python examples/harnesses/trainer_example.py

The model is random and learns for a few steps, so its reports are poor; nothing is downloaded.
"""

import json
import tempfile
from pathlib import Path

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    set_seed,
)

from radeval_core.adapters.trainer import ComputeMetrics

REPORTS = Path(__file__).parent / "reports" / "test.jsonl"


def word_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """Return a tokenizer that knows the words of some texts."""
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=special))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def main(batch_eval_metrics: bool = False) -> dict[str, float]:
    """Train, evaluate, print and return the numbers of the evaluation."""
    set_seed(0)
    rows = [json.loads(line) for line in REPORTS.read_text("utf-8").splitlines()]
    tokenizer = word_tokenizer([row[side] for row in rows for side in ("findings", "impression")])
    ends = [tokenizer.eos_token_id]
    data = Dataset.from_list(
        [
            {
                "input_ids": tokenizer(row["findings"]).input_ids + ends,
                "labels": tokenizer(row["impression"]).input_ids + ends,
            }
            for row in rows
        ]
    )
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(tokenizer), d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, dropout=0.0, bos_token_id=0,
            pad_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=None,
        )
    )  # fmt: skip
    compute_metrics = ComputeMetrics(["radgraph_f1", "green", "green.error_count"], tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Seq2SeqTrainer(
            model,
            Seq2SeqTrainingArguments(
                folder, max_steps=60, learning_rate=1e-2, per_device_train_batch_size=6, per_device_eval_batch_size=4,
                predict_with_generate=True, generation_max_length=24, generation_num_beams=1, eval_strategy="steps",
                eval_steps=60, batch_eval_metrics=batch_eval_metrics, report_to="none", save_strategy="no",
                use_cpu=True, disable_tqdm=True,
            ),
            train_dataset=data,
            eval_dataset=data,
            processing_class=tokenizer,
            data_collator=DataCollatorForSeq2Seq(tokenizer, model),
            compute_metrics=compute_metrics,
        )  # fmt: skip
        trainer.train()
        numbers = trainer.evaluate()
    for name in ("eval_radgraph_f1", "eval_green", "eval_green.error_count", "eval_green_unscored"):
        print(f"{name}: {numbers[name]:.3f}")
    return numbers


if __name__ == "__main__":
    main()
