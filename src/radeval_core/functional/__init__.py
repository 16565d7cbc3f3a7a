"""Pure functions from structures to numbers, simple enough to check by hand."""
