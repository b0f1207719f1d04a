"""XML that is still being written: events from expat, trees, leaves."""
