"""The leaderboard: benchmarks, submissions, their storage, scoring and ranking."""
