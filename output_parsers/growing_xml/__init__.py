"""Incremental XML reading: events from expat, trees, leaves."""
