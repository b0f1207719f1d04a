"""What several dialects are made of: JSON steps, blocks of calls, tags, and their writers."""
