"""radcheck: an open dataset of generated radiology reports with gold entities and gold error counts.

It shares no code and no vocabulary with the findings parser, so it can benchmark metrics that use the parser.
"""
