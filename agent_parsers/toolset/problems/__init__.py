"""What can be wrong with a call of a tool, and what was meant."""
