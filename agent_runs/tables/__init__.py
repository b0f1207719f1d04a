"""Forms of logs as tables: what a user writes to have a form read that no reader knows."""
