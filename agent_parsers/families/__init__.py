"""Parts shared by several dialects: JSON steps, blocks of calls, tags, and their writers."""
