"""Structures in, numbers out: pure functions that can be checked by hand."""
