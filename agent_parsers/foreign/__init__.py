"""Calls in a form that the dialect of a turn does not have: those of other dialects, and of none."""
