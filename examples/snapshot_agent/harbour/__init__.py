"""An agent that answers skippers' questions, with three tools and a dialect of its own."""
