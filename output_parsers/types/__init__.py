"""Type utilities: the result type of a generic parser, and pydantic models of both versions."""
