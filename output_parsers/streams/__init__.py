"""Streams: the sum of the chunks so far, and readers of chunks."""
