"""The page of `radeval score --report`: a summary of the scores, and every pair with what is behind its scores."""

#: the most pairs on a page, unless the user says otherwise; with every metric a pair takes about 14 kB
MOST_PAIRS = 1000
