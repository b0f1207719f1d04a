"""LangChain's agent of the ReAct paper, by its path there: see `output_parser`."""
