"""Lenient JSON: the reader that repairs what models write, and helpers for near-JSON text."""
