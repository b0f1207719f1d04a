"""Dialects and parsers from the templates that models ship with: chat and response templates."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_serving.templates.chat.deriving import dialect_from_template as dialect_from_template
    from agent_serving.templates.chat.finding import dialect_for_template as dialect_for_template
    from agent_serving.templates.response.export import response_template as response_template
    from agent_serving.templates.response.parser import (
        ResponseTemplateParser as ResponseTemplateParser,
    )
    from agent_serving.templates.response.parser import (
        from_response_template as from_response_template,
    )
    from agent_serving.templates.template_error import TemplateError as TemplateError

_MODULES = {
    "ResponseTemplateParser": "agent_serving.templates.response.parser",
    "TemplateError": "agent_serving.templates.template_error",
    "dialect_for_template": "agent_serving.templates.chat.finding",
    "dialect_from_template": "agent_serving.templates.chat.deriving",
    "from_response_template": "agent_serving.templates.response.parser",
    "response_template": "agent_serving.templates.response.export",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
