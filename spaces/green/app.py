"""The demo of `green`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("green")

if __name__ == "__main__":
    launch(demo)
