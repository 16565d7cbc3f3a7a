"""GREEN: errors of a candidate report in six categories, by a model or by our own comparison.

`prompt.txt` holds the literal instructions the published checkpoints were trained on, an input format like a file
header: Ostmeier et al., GREEN: Generative Radiology Report Evaluation and Error Notation, Findings of EMNLP 2024,
appendix A.1, with the indentation and line breaks of the authors' code. `{reference}` and `{candidate}` stand for the
two reports.
"""
