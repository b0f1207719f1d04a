"""A server in front of another: tool calls for clients, from a model that only writes text."""
