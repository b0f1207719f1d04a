"""What a client is shown of the content, and what is read of a reply with its stop sequences."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException, get_dialect, get_parser, list_dialects
from agent_parsers.loop import Asking
from agent_serving.serve.visible_content import StopSearch

TOOLS: Any = [
    {"type": "function", "function": {
        "name": "area", "parameters": {
            "type": "object", "properties": {"lake": {"type": "string"}}}}}
]  # fmt: skip


def actions_of(parser: Any, text: str, stops: list[str]) -> list[AgentAction] | None:
    """Return the calls that are made of a *text*; `None` if it is read as an answer or not."""
    asking: Asking[Any] = Asking(parser, "How large?", tools=TOOLS, max_retries=0)
    search = StopSearch(stops)
    asking.request()
    for piece in search.pieces(text):
        asking.feed(piece)
        if search.finds(asking) or asking.is_over:
            break
    with suppress(OutputParserException):
        asking.close("stop")
        return asking.actions or None
    return None


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", [n for n in list_dialects() if get_dialect(n).several])
def test_no_call_behind_a_stop_sequence_is_made_in_any_dialect(name: str) -> None:
    parser = get_parser(name, tools=TOOLS)
    call = parser.render(AgentAction("area", {"lake": "END"}, ""))
    for begin in ("Hello END now.\n", "Hello. END\n", "END. So:\n"):
        if actions_of(parser, begin + call, []) is None:
            continue  # no content may precede a call
        assert actions_of(parser, begin + call, ["END"]) is None
    if made := actions_of(parser, call, []):
        assert actions_of(parser, call, ["END", "<never>"]) == made
