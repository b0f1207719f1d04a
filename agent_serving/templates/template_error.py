"""What can be wrong with a template."""


class TemplateError(ValueError):
    """A template is wrong, or cannot be read or made; the message says what is missing."""
