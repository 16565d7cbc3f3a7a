"""Texts to tensors to arrays, fast: batching, devices, the forward loop, annotation storage. No radiology here."""
