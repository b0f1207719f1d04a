"""The command line, with typer and rich; nothing else in the library imports it."""
