"""Snapshots: prompts, transcripts and events pinned to files a person can read."""
