"""Fits the weights of metrics to one's own experts. Writes files that the metrics read and name in their signatures."""
