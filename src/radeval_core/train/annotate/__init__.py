"""Training pairs from a teacher: a judge answers about each pair, and its readable answers become training rows."""
