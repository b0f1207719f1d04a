"""Text: patterns under a time limit, list items, YAML, and what a terminal may show."""
