"""Finding JSON in a text, for parsers and dialects."""
