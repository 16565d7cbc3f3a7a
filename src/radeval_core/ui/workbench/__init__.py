"""The workbench: one or two candidates against a reference, marked up and scored with every metric at once."""
