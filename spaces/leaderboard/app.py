"""The leaderboard: systems ranked by paired significance, their worst cases, and submissions."""

from radeval_core.ui.demo import launch
from radeval_core.ui.leaderboard.page import build_leaderboard, leaderboard_options

demo = build_leaderboard()
page_options = leaderboard_options()

if __name__ == "__main__":
    launch(demo, **page_options)
