"""LangChain's MRKL agent, by its path there: see `output_parser`."""
