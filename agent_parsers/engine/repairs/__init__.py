"""Lenient readers of tool names, inputs and answers."""
