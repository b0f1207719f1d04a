"""The commands that read logs of runs, and replies, from files."""
