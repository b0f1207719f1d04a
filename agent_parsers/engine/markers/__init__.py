"""Markers: what they are, and the patterns that find them."""
