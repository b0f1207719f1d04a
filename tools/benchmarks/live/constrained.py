"""Replies that a grammar constrains: each turn that is finished has to be read strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers import OutputParserException, get_parser, list_dialects
from agent_parsers.constrain import GrammarError
from tools.benchmarks.live.questions import QUESTIONS, TOOL_SETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.benchmarks.live.server import Reply, Server

BOUNDS: dict[str, Any] = {"max_thought": 120, "max_content": 0, "max_calls": 2}
"""A small model does not find the end of a thought by itself."""


def replies(server: Server, dialects: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield a call and an answer for each dialect and set of tools, on both endpoints in turn."""
    for number, name in enumerate(dialects):
        for which, tools in enumerate(TOOL_SETS):
            parser = get_parser(name, tools=tools, lenient=False)
            for turn in ("call", "answer"):
                try:
                    fields = parser.structured_outputs("llama_cpp", turn=turn, **BOUNDS)
                except GrammarError as error:
                    yield {"dialect": name, "turn": turn, "outcome": f"no grammar: {error}"}
                    continue
                question = QUESTIONS[(7 * number + 3 * which) % len(QUESTIONS)]
                is_chat = (number + which) % 2 == 1
                reply = _ask(server, parser, question, fields, is_chat=is_chat)
                read = outcome(parser, reply)
                yield {"dialect": name, "turn": turn, "outcome": read, "text": reply.text}


def _ask(
    server: Server, parser: Any, question: str, fields: dict[str, Any], *, is_chat: bool
) -> Reply:
    if is_chat:
        messages = parser.render_prompt(question, as_messages=True)
        return server.chat(messages, stop=parser.stop, tokens=160, **fields)
    return server.complete(parser.render_prompt(question), stop=parser.stop, tokens=160, **fields)


def outcome(parser: Any, reply: Reply) -> str:
    """Return ``"read"``, ``"cut"``, or why a finished turn is not read strictly."""
    try:
        parser.parse(reply.text, ended=reply.ended)
    except OutputParserException as error:
        return "cut" if reply.ended == "length" else f"refused: {error}"
    return "read"


def table(server: Server, dialects: Sequence[str] = ()) -> str:
    """Return what became of the turns, and each that was refused."""
    found = [*replies(server, dialects or list_dialects())]
    rows = ["| turn | read strictly | cut | no grammar | refused |", "|---|---|---|---|---|"]
    for turn in ("call", "answer"):
        said = [each["outcome"].partition(":")[0] for each in found if each["turn"] == turn]
        counts = (said.count(each) for each in ("read", "cut", "no grammar", "refused"))
        rows.append(f"| {turn} | {' | '.join(map(str, counts))} |")
    refused = (each for each in found if each["outcome"].startswith("refused"))
    return "\n".join((*rows, *(f"\n{each}" for each in refused)))
