"""The parsers of agent turns: base classes, and parsers for any dialect."""
