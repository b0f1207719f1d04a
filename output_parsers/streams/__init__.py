"""Streams: the sum of the chunks so far, and what reads them."""
