"""The tables of a dialect as data, with its problems and the words of its prompt."""
