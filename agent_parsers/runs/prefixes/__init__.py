"""Logs under the prefixes of a logger: finding the prefix, and what stands under it."""
