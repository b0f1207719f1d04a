"""Tools from functions, models, schemas and other forms."""
