"""Gradio building blocks of the Spaces."""
