"""What an agent turn comes to: actions, the final answer, and the steps taken."""
