"""Builders of the datasets: from the publisher's files, or from a grammar, to Parquet with declared splits."""
