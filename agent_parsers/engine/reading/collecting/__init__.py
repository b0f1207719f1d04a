"""From the texts of states to actions, answers and errors."""
