"""Readers of logs, one for each form; `list_readers` has their names."""
