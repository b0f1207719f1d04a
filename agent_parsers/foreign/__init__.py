"""Calls in a form that the dialect of a turn does not have: that of another, or of none."""
