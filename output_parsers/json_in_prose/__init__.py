"""JSON somewhere in a text: one search, for parsers and dialects alike."""
