"""One or two candidate reports marked up against a reference, with every metric."""

from radeval_core.ui.demo import launch
from radeval_core.ui.workbench.page import build_workbench, workbench_options

demo = build_workbench()
page_options = workbench_options()

if __name__ == "__main__":
    launch(demo, **page_options)
