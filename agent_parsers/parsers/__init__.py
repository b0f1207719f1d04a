"""The parsers of agent turns: base classes, and those that read any dialect."""
