"""Runnables, which are composed with ``|``: steps, functions as steps, and batches."""
