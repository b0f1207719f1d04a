"""Readers of logs that are JSON, one file for each form."""
