"""Metrics in other people's evaluation harnesses and training loops: one file per library.

A file imports its library at its top, and nothing here imports the files: `import radeval_core.adapters` needs none of
them.
"""
