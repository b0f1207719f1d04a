"""Kinds of markers, and the patterns that find them."""
