"""The demo of `radcliq`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("radcliq")

if __name__ == "__main__":
    launch(demo)
