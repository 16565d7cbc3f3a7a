"""Train the models behind the metrics: training files, fine-tuning, and the evaluation of the result."""
