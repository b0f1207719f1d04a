"""Structured output, by a tool call or by the provider's own structured output."""
