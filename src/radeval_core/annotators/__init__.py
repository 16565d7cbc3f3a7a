"""Annotators: each turns one text into one structure with a neural model."""
