"""Texts that may not contain something, as automata."""
