"""How the command line shows what it read: runs as tables, counts and JSON, errors, progress."""
