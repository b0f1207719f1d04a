"""Reading: the states of a table, the meaning of a turn, whole texts and streams."""
