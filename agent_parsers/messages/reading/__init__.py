"""Reading messages with calls, whole and in chunks."""
