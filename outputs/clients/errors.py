"""Errors that a provider sends instead of a message or of the rest of one.

::

    {"error": {"type": "server_error", "message": "Try again."}}
    {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    {"type": "error", "code": "rate_limit_exceeded", "message": "Too many requests"}
    {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "…"}}}
"""

from __future__ import annotations

from typing import Any


class ProviderError(RuntimeError):
    """A provider sent an error instead of a message or of the rest of one.

    Neither the model nor the caller is at fault, so this is not an `OutputParserException`: do not
    send it to the model, but try again.

    Args:
        message: The provider's error message.
        kind: The provider's code or type of the error, such as ``overloaded_error``.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        said = message or "no reason given"
        super().__init__(f"the provider failed: {said}" + (f" ({kind})" if kind else ""))
        self.message = message
        self.kind = kind


def provider_error(fields: dict[str, Any]) -> ProviderError:
    """Return the error that *fields* describe."""
    error = fields.get("error") or fields
    if not isinstance(error, dict):
        return ProviderError(str(error))
    message = error.get("message")
    kinds = (error.get("code"), error.get("type"))
    kind = next((str(each) for each in kinds if each and each != "error"), "")
    return ProviderError("" if message is None else str(message), kind)
