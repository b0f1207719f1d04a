"""The JSON form of values: objects with the name of their class and its fields, read back whole."""
