"""Runs models over texts: batching, devices, the forward loop, stored annotations. Contains no radiology."""
