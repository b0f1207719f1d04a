"""Calls that are JSON, or have their arguments in JSON."""
