"""Writing: past steps, prompts, and what is sent back to a model."""
