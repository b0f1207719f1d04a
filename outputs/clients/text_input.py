"""The input of a tool that takes text, in the place of a tool's arguments.

Custom tools of OpenAI's APIs take a text. Their calls become calls with one argument::

    {"id": "1", "type": "custom", "custom": {"name": "run", "input": "ls"}}
    {"name": "run", "args": {"__arg1": "ls"}, "id": "1"}

A streamed text is written as the start of a JSON object, which is closed when the call has ended.
"""

from __future__ import annotations

import json
from typing import Final

TEXT_ARGUMENT: Final = "__arg1"
"""The name of that argument; LangChain uses the same name."""
TEXT_START: Final = f'{{"{TEXT_ARGUMENT}": "'
"""The JSON before the text of such an argument."""
TEXT_END: Final = '"}'
"""The JSON after it."""


def text_arguments(text: object) -> str:
    """Return the JSON arguments of a call whose only input is *text*."""
    return json.dumps({TEXT_ARGUMENT: text}, ensure_ascii=False)


def json_inside(text: str) -> str:
    """Return *text* escaped for use between the quotes of a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def text_in(arguments: str) -> str | None:
    """Return the input in *arguments* that `text_arguments` made; they may be cut short.

    Returns:
        The text; `None` if the arguments are something else.
    """
    from outputs.growing_json.reader import parse_partial_json  # imported lazily: rarely needed

    try:
        value = parse_partial_json(arguments)
    except ValueError:
        return None
    text = value.get(TEXT_ARGUMENT) if isinstance(value, dict) else None
    return text if isinstance(text, str) else None
