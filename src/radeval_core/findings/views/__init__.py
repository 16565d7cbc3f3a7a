"""Convert our findings into other published schemas, each by a pure function."""
