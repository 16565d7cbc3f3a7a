"""The playground: scores one pair of reports with every metric at once."""
