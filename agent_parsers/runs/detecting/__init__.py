"""Finding the dialect of a text, which may be a log."""
