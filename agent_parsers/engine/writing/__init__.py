"""Writing: past steps, prompts, and the observations of errors."""
