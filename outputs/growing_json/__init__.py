"""Incremental JSON reading: whole values, partial values and their changes."""
