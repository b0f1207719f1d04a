"""Tool calls on the wire, whole and while they arrive."""
