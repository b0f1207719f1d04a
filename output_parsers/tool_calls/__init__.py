"""Tool calls in providers' formats, whole or streamed."""
