"""Writing a run for the APIs of providers."""
