"""Dialects from chat templates."""
