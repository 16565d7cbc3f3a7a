"""radcheck: an open dataset of generated radiology reports with gold entities and gold error counts.

It shares neither code nor vocabulary with the findings parser, so that a benchmark on it tells something.
"""
