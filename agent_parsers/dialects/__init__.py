"""The text dialects, one file each: how turns are read, written and prompted."""
