"""CRIMSON: findings of both reports with their clinical significance, matches and errors, by a model or our comparison.

`prompt.yaml` contains the authors' sections word for word, because the published checkpoint was trained on them:
Baharoon et al., CRIMSON: A Clinically-Grounded LLM-Based Metric for Generative Radiology Report Evaluation,
arXiv 2603.06183 (2026); rajpurkarlab/CRIMSON, `CRIMSON/prompt_parts.py`, MIT licence.
"""
