"""LangChain's conversational chat agent, by its path there: see `output_parser`."""
