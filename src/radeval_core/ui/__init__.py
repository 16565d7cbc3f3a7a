"""Building blocks of the pages."""

from radeval_core.ui.uploads import use_private_folder

# before Gradio is imported: it reads the name of its upload folder once
use_private_folder()
