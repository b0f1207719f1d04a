"""Messages of other libraries and APIs, recognised by their shape without importing the library."""
