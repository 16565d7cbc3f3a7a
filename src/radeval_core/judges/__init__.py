"""One pair of reports in, one structure out: what is wrong with a report."""
