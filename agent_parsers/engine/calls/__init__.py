"""Readers of calls: where the name of a tool and its input stand together."""
