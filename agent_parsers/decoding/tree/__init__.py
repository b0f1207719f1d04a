"""The parts of a grammar, from which each form is written."""
