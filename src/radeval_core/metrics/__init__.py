"""One module per metric: its SPEC (declared facts) and its SCORER (which structures, which pure functions)."""
