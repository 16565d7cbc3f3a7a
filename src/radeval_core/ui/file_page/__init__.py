"""The file page: upload a file of pairs once, score it with many metrics, look at the pairs, compare two systems."""
