"""Tool schemas, and checks of inputs against them."""
