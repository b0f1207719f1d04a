"""Text utilities: regular expressions with a time limit, list items, YAML."""
