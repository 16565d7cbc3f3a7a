"""The leaderboard: benchmarks, submissions, where they are kept, how they are scored and ranked."""
