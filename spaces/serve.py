"""Serves all Spaces of this checkout behind one local page: `make spaces`, or `python spaces/serve.py --port 8000`."""

import argparse
from pathlib import Path

from radeval_core.ui.together import serve

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=7860)
    options = parser.parse_args()
    serve(Path(__file__).parent, options.host, options.port)
