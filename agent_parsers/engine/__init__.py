"""The engine: reads and writes any dialect."""
