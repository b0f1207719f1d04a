"""Finding the dialect of a text."""
