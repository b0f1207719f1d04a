"""Calls in the form of code: Python, and the braces of Gemma."""
