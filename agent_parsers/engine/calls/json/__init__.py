"""Readers of calls in JSON, or with arguments in JSON."""
