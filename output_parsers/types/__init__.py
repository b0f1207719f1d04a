"""What types say: the result of a generic parser, and the fields of pydantic models."""
