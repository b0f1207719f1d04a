"""Default steps and replies for snapshots, as a model would write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers import AgentAction, MessageParser, OpenAIFunctionsAgentOutputParser
from agent_parsers.authoring import Written, replies
from agent_parsers.core import AnyDialectParser, TurnParser
from agent_parsers.toolset import ToolSet, ToolSpec
from outputs import AIMessage, tool_call

if TYPE_CHECKING:
    from agent_parsers.core import Step

__all__ = ["AnyParser", "usual_replies", "usual_steps"]

AnyParser: TypeAlias = AnyDialectParser | MessageParser

_NO_SUCH_TOOL: Final = ToolSpec("no_such_tool")
_MOST_STEPS: Final = 2
_ANSWER: Final = "It is so."


def usual_steps(parser: AnyParser) -> list[Step]:
    """Return steps that call the first two tools of *parser*.

    Args:
        parser: Renders the calls; it may know tools.
    """
    tools = tuple(ToolSet(parser.tools or ()))[:_MOST_STEPS] or (None,)
    replies = (_action(parser, tool, number) for number, tool in enumerate(tools, 1))
    results = [parser.read(reply).result for reply in replies]
    actions = (a for result in results for a in (result if isinstance(result, list) else [result]))
    return [(a, f"what {a.tool} returned") for a in actions if isinstance(a, AgentAction)]


def usual_replies(parser: AnyParser) -> dict[str, Any]:
    """Return valid and invalid replies by title."""
    first = next(iter(ToolSet(parser.tools or ())), None)
    replies = {"an action": _action(parser, first), "an answer": _answer(parser)}
    if isinstance(parser, TurnParser):
        replies["text without a form"] = "Let me see."
    wrong = _action(parser, _NO_SUCH_TOOL)
    if first is not None and wrong != replies["an action"]:
        replies["a tool that there is not"] = wrong
    return replies


def _action(parser: AnyParser, tool: ToolSpec | None, number: int = 1) -> Any:
    """Return a reply that calls *tool*, or a tool without a spec."""
    if isinstance(parser, TurnParser):
        words = parser.dialect.prompt_words
        text = replies(parser.dialect, None if tool is None else [tool])[0]
        for name, value in ((tool and ToolSet([tool]).example(tool.name)) or {}).items():
            before, found, after = text.rpartition(words.placeholder(name))  # a tag may be alike
            if found and value == f"<{name}>":
                text = f"{before}some {name}{after}"  # a value, not copied
        return text
    tool = tool or ToolSpec("search")
    arguments = ToolSet([tool]).example(tool.name) or {}
    if isinstance(parser, OpenAIFunctionsAgentOutputParser):
        call = {"name": tool.name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        return AIMessage("", additional_kwargs={"function_call": call})
    return AIMessage(
        "", tool_calls=[tool_call(name=tool.name, args=arguments, id=f"call_{number}")]
    )


def _answer(parser: AnyParser) -> Any:
    if isinstance(parser, TurnParser):
        thought = parser.dialect.prompt_words.last_thought if parser.dialect.thinks else ""
        return parser.dialect.write(Written(thought, answer=_ANSWER, number=2))
    return AIMessage(_ANSWER)
