"""Reading: the states of a table, what a turn means, whole texts and streams."""
