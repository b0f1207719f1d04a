"""LangChain's conversational agent, by its path there: see `output_parser`."""
