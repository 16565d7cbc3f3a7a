"""Score the generated impressions of every validation epoch in Lightning.

Usage: python examples/harnesses/lightning_example.py
"""

import json
from pathlib import Path

import lightning
import torch

from radeval_core.adapters.torchmetrics import ReportScore

REPORTS = Path(__file__).parent / "reports" / "test.jsonl"


class SentenceChooser(lightning.LightningModule):
    """Learns which sentence of the findings to use as the impression: a report generator with three weights."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = torch.nn.Parameter(torch.tensor([0.0, 0.0, 1.0]))
        self.scores = ReportScore(["radgraph_f1", "green"])

    def training_step(self, batch: dict[str, list[str]], batch_idx: int) -> torch.Tensor:
        """Prefer the first sentence."""
        return torch.nn.functional.cross_entropy(self.weights[None], torch.tensor([0]))

    def validation_step(self, batch: dict[str, list[str]], batch_idx: int) -> None:
        """Add the pairs of a batch."""
        self.scores.update([self.generate(findings) for findings in batch["findings"]], batch["impression"])

    def on_validation_epoch_end(self) -> None:
        """Log the numbers of all batches and processes."""
        self.log_dict({name: value.float() for name, value in self.scores.compute().items()})
        self.scores.reset()

    def generate(self, findings: str) -> str:
        """Return the impression: one sentence."""
        sentences = findings.removesuffix(".").split(". ")
        return sentences[min(int(self.weights.argmax()), len(sentences) - 1)] + "."

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=1.0)


def main() -> dict[str, float]:
    """Validate, train, validate again; print and return the last numbers."""
    lightning.seed_everything(0, verbose=False)
    rows = [json.loads(line) for line in REPORTS.read_text("utf-8").splitlines()]
    loader = torch.utils.data.DataLoader(rows, batch_size=2)
    model = SentenceChooser()
    trainer = lightning.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, num_sanity_val_steps=0,
    )  # fmt: skip
    (before,) = trainer.validate(model, loader, verbose=False)
    trainer.fit(model, loader, loader)
    (after,) = trainer.validate(model, loader, verbose=False)
    for name in ("radgraph_f1", "green"):
        print(f"{name}: {before[name]:.3f} before, {after[name]:.3f} after")
    return after


if __name__ == "__main__":
    main()
