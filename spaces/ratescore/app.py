"""The demo of `ratescore`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("ratescore")

if __name__ == "__main__":
    launch(demo)
