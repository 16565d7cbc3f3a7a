"""One text in, one structure out, with a neural model."""
