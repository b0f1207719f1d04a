"""The text dialects, one file each: what is read, what is written and what the model is told."""
