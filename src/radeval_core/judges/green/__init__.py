"""GREEN: the errors of a candidate report in six categories, found by a model or by our own comparison.

`prompt.txt` contains the exact instructions the published checkpoints were trained on, so it must not change: Ostmeier
et al., GREEN: Generative Radiology Report Evaluation and Error Notation, Findings of EMNLP 2024, appendix A.1, with the
indentation and line breaks of the authors' code. `{reference}` and `{candidate}` are replaced by the two reports.
"""
