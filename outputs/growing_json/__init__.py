"""JSON that is still being written: one reader, whole and partial values, and what changed."""
