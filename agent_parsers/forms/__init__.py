"""How dialects spell their turns, as data, and what follows from that without an engine."""
