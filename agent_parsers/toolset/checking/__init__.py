"""Checking the input of a tool by its JSON Schema."""
