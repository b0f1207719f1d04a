"""Readers of calls in the form of code: Python calls, and Gemma's braces."""
