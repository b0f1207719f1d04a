"""Messages of other libraries and APIs, known by their shape; no other library is imported."""
