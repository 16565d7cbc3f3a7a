"""Build datasets: read a publisher's files, or generate from a grammar, and write Parquet with declared splits."""
