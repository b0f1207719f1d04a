"""What a tool takes: its schema, and whether an input fits."""
