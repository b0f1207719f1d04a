"""What may be passed as a chat template."""

from typing import Any

import pytest

from agent_parsers.templates import TemplateError
from agent_parsers.templates.chat.rendering import ChatTemplate, chat_template

NAMED = [{"name": "default", "template": "d"}, {"name": "tool_use", "template": "t"}]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("{{ x }}", "{{ x }}"),
        ({"chat_template": "c"}, "c"),
        ({"chat_template": NAMED}, "t"),
        ({"chat_template": NAMED[:1]}, "d"),
    ],
)
def test_a_template_is_text_or_in_a_configuration(given: Any, text: str) -> None:
    assert chat_template(given) == ChatTemplate(text, {})


def test_special_tokens_are_those_of_the_configuration() -> None:
    config = {
        "chat_template": "c",
        "eos_token": {"content": "<end>", "lstrip": False},
        "bos_token": "<s>",
        "pad_token": None,
        "add_bos_token": True,
    }
    assert chat_template(config).special_tokens == {"eos_token": "<end>", "bos_token": "<s>"}
    own = chat_template(config, {"eos_token": "</s>"}).special_tokens
    assert own == {"eos_token": "</s>", "bos_token": "<s>"}


@pytest.mark.parametrize("given", [{}, {"chat_template": None}, {"chat_template": [{"name": "x"}]}])
def test_a_configuration_without_template_is_refused(given: Any) -> None:
    with pytest.raises(TemplateError, match=r"no chat_template .* chat_template\.jinja"):
        chat_template(given)


def test_anything_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="expected a chat template as text"):
        chat_template(["{{ x }}"])  # type: ignore[arg-type]
