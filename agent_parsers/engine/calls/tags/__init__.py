"""Readers of calls whose name and parameters stand in tags."""
