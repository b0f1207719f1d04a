"""A page to try dialects on: text is typed, and how it is read is seen."""
