"""The playground: one pair of reports under every metric at once."""
