"""The demo of `fineradscore`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("fineradscore")

if __name__ == "__main__":
    launch(demo)
