"""LangChain's structured chat agent, by its path there: see `output_parser`."""
