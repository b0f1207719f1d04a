"""The results of agent turns: actions, final answers and the steps taken."""
