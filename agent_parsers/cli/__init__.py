"""The command line, with typer and rich; nothing else in the library imports it."""

from agent_parsers.cli.app import app, run

__all__ = ["app", "run"]
