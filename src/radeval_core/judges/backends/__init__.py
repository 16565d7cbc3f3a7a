"""Backends that answer prompts: a model on this machine, or one behind an API."""
