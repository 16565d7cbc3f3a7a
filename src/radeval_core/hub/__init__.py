"""Publish Spaces and datasets to the Hugging Face Hub."""
