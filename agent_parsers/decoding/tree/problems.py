"""`GrammarError`: a form of grammar cannot say what a dialect or a tool asks for."""

__all__ = ["GrammarError", "NoValue"]


class GrammarError(ValueError):
    """A form of grammar cannot say what a dialect or a tool asks for; the message says why."""


class NoValue(GrammarError):  # noqa: N818 - internal: what has no value is left out
    """Raised for a part of a schema of which no value can be written; it is left out."""
