"""The demo of `radgraph_f1`, a Gradio Space."""

from radeval_core.ui.demo import build_demo, launch

demo = build_demo("radgraph_f1")

if __name__ == "__main__":
    launch(demo)
