"""Measures what a live model makes of the prompts and grammars, and what is read of its replies."""
