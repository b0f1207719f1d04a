"""An agent that answers questions of skippers, with three tools and a dialect of its own."""
