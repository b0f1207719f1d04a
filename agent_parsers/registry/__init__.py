"""Finding dialects by name and by model, and making parsers for them."""
