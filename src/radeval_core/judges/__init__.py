"""Judges: turn one pair of reports into a structure that lists what is wrong with the candidate."""
