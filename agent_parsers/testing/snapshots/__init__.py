"""Snapshots of prompts, transcripts and events, in readable files."""
