"""Serve the Spaces of this checkout, or one of them: `python spaces/serve.py green`."""

from pathlib import Path

from radeval_core.ui.__main__ import main

if __name__ == "__main__":
    main(Path(__file__).parent)
