"""The demo of `ffl_rq`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("ffl_rq")

if __name__ == "__main__":
    launch(demo)
