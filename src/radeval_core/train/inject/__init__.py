"""Training pairs without a teacher: errors put into reports on purpose, so that the right answer is known."""
