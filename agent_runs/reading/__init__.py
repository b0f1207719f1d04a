"""What readers of logs share: lines and values, runs put together, and runs as data."""
