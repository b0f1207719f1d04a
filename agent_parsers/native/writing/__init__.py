"""Writing a run so far for the APIs of providers."""
