"""Values that tools take, as parts of grammars."""
