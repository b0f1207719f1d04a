"""A dialect compiled for reading, and the rules that both readers share."""
