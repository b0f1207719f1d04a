"""What can be wrong with a template."""


class TemplateError(ValueError):
    """A template is invalid, or cannot be read or made; the message says why."""
