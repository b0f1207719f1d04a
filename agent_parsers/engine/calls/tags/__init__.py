"""Calls whose name and parameters stand in tags."""
