"""The leaderboard page."""
