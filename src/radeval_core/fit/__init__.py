"""Fit the weights of metrics to your own experts. Metrics read the weight files and record them in their signatures."""
