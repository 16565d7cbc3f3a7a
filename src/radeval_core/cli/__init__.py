"""The `radeval` command, one file per subcommand: argument parsing and printing only."""

from radeval_core.cli.app import main

__all__ = ["main"]
