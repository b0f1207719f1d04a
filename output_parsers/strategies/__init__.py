"""Structured output: by the call of a tool, or in the form of the provider."""
