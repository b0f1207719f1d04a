"""What can be composed with ``|``: steps, functions as steps, and batches."""
