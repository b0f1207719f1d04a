"""What a turn only quotes, and what stands beside its calls."""
