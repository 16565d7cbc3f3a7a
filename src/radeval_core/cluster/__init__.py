"""Score pairs in parts on many processes or machines, and join the parts into the result of one run."""
