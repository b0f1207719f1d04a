"""Response templates of others, and what readers make of a turn in a form that can be compared."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_parsers import AgentFinish, OutputParserException, list_dialects
from agent_serving.templates import TemplateError, response_template

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_serving.templates import ResponseTemplateParser


class Reading(NamedTuple):
    """What was read."""

    thought: str
    content: str
    calls: list[tuple[str, Any]]


def exports() -> dict[str, dict[str, Any]]:
    """Return the templates of all dialects that have one."""
    found = {}
    for name in list_dialects():
        try:
            found[name] = response_template(name)
        except TemplateError:
            continue
    return found


def reading(parser: AnyDialectParser | ResponseTemplateParser, text: str) -> Reading | str:
    """Return what a *parser* reads, or its error."""
    try:
        turn = parser.read(text)
    except OutputParserException as error:
        return str(error)
    result = turn.result
    if isinstance(result, AgentFinish):
        return Reading(turn.thought.strip(), str(result.return_values["output"]).strip(), [])
    actions = result if isinstance(result, list) else [result]
    calls = [(action.tool, action.tool_input) for action in actions]
    return Reading(turn.thought.strip(), turn.content.strip(), calls)


def theirs(template: dict[str, Any], text: str, prefix: str = "") -> Reading | str:
    """Return what transformers reads, or its error."""
    from transformers.utils.chat_parsing import parse_response

    try:
        message = parse_response(text, template, prefix=prefix)
    except (ValueError, KeyError) as error:
        return str(error)
    thought = message.get("thinking") or message.get("reasoning_content") or ""
    functions = [call["function"] for call in message.get("tool_calls", [])]
    calls = [(function["name"], function["arguments"]) for function in functions]
    return Reading(thought, message.get("content") or "", calls)


def turn_texts(dialect: Dialect) -> list[str]:
    """Return turns of a *dialect* with inputs that are hard to read, and answers."""
    from agent_laws.trials.sample_calls import sample_turns
    from agent_parsers.parsers.dialect_parser import dialect_parser

    parser = dialect_parser(dialect)
    texts = [turn.text for turn in sample_turns(dialect)]
    for answer in ("It is 42.", 'two\nlines, "quoted"'):
        for thought in ("", "I know.") if dialect.thinks else ("",):
            with suppress(ValueError):  # the dialect cannot write it
                texts.append(parser.render(AgentFinish({"output": answer}, ""), thought=thought))
    return texts
