"""Serve the Spaces: `python -m radeval_core.ui` for all of them, `python -m radeval_core.ui green` for one."""

from __future__ import annotations

import argparse
from pathlib import Path

from radeval_core.errors import RadevalError
from radeval_core.ui.serve_all import serve, serve_one
from radeval_core.ui.space_page import spaces_folder


def main(folder: Path | None = None) -> None:
    """Read the command line and serve the Spaces of a folder, by default those of this package, until stopped."""
    parser = argparse.ArgumentParser(description="Serve all Spaces behind one local page, or one of them.")
    pages = "workbench, file_page, leaderboard or reading_room"
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"a metric, {pages}")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=7860)
    options = parser.parse_args()
    try:
        folder = folder or spaces_folder()
        if options.name:
            serve_one(folder, options.name, options.host, options.port)
        else:
            serve(folder, options.host, options.port)
    except RadevalError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
