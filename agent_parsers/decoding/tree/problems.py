"""`GrammarError`: a form of grammar cannot say what a dialect or a tool asks for."""

__all__ = ["GrammarError"]


class GrammarError(ValueError):
    """A form of grammar cannot say what a dialect or a tool asks for; the message says why."""
