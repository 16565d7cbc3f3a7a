"""One pair of reports under every metric: a Gradio Space."""

from radeval_core.ui.demo import launch
from radeval_core.ui.playground.page import build_playground

demo = build_playground()

if __name__ == "__main__":
    launch(demo)
