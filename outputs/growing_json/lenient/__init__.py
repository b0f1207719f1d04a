"""JSON as models write it: the reader that repairs it, and what else is JSON in disguise."""
