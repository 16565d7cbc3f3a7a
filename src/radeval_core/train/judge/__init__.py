"""Fine-tune judges: questions and answers as token ids, the run, its evaluation with the metric itself, its card."""
