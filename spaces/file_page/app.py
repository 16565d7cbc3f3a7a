"""A file of report pairs scored with many metrics, and two systems compared: a Gradio Space."""

from radeval_core.ui.demo import launch
from radeval_core.ui.file_page.page import build_file_page, file_page_options

demo = build_file_page()
page_options = file_page_options()

if __name__ == "__main__":
    launch(demo, **page_options)
