"""Parsers in LangChain's chains and executors; the only modules here that import LangChain."""
