"""The chat template, and the special tokens, of what was passed as a template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agent_parsers.templates.problems import TemplateError
from output_parsers.printable import kind_of

__all__ = ["ChatTemplate", "chat_template"]

_NAMES = ("tool_use", "default")
"""The named templates that are taken, the first first."""


class ChatTemplate(NamedTuple):
    """A chat template and the tokens that it may write."""

    text: str
    special_tokens: Mapping[str, str]


def chat_template(
    given: str | Mapping[str, Any], special_tokens: Mapping[str, str] | None = None
) -> ChatTemplate:
    """Return the chat template that was *given*: as its text, or in a tokenizer's configuration.

    Args:
        given: The text, or what is in ``tokenizer_config.json``. Of several named templates,
            ``tool_use`` is preferred.
        special_tokens: The texts of special tokens, which replace those of the configuration.

    Raises:
        TypeError: It is neither.
        TemplateError: The configuration has no chat template.
    """
    own = dict(special_tokens or {})
    if isinstance(given, str):
        return ChatTemplate(given, own)
    if not isinstance(given, Mapping):
        raise TypeError(
            "expected a chat template as text, or the object in tokenizer_config.json, not"
            f" {kind_of(given)}"
        )
    tokens = {
        key: text
        for key, value in given.items()
        if key.endswith("_token") and (text := _text_of(value)) is not None
    }
    return ChatTemplate(_chosen(given.get("chat_template")), {**tokens, **own})


def _text_of(token: Any) -> str | None:
    text = token.get("content") if isinstance(token, Mapping) else token
    return text if isinstance(text, str) else None


def _chosen(templates: Any) -> str:
    if isinstance(templates, str):
        return templates
    named: dict[Any, Any] = {}
    if isinstance(templates, list):
        named = {
            each.get("name"): each.get("template")
            for each in templates
            if isinstance(each, Mapping)
        }
    for name in _NAMES:
        if isinstance(named.get(name), str):
            return str(named[name])
    raise TemplateError(
        "there is no chat_template in this tokenizer configuration; newer repositories have it in a"
        " file chat_template.jinja"
    )
