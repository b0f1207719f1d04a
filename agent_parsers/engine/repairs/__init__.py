"""What models put around names and inputs, and how it comes off."""
