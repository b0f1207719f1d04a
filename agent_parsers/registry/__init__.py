"""Dialects by name and by model, and parsers for them."""
