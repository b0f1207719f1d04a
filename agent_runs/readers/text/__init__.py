"""Readers of logs that are text, one file for each form."""
