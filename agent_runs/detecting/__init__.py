"""Finding the dialect of a text, which may be a log, and the prefix of its lines."""
