"""Reads turns of calls that are spelt as their dialect writes them, in one scan."""
