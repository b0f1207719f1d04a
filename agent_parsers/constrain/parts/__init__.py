"""The parts of a grammar: its tree, and automata of the texts that may stand in it."""
