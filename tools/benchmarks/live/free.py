"""Replies that nothing constrains: what strict and lenient reading make of them, and others."""

from __future__ import annotations

import json
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser
from agent_parsers.testing.chunks import cut
from tools.benchmarks.live.questions import QUESTIONS, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from tools.benchmarks.live.server import Reply, Server

DIALECTS = (
    "react", "react_json", "json", "structured_chat", "xml", "self_ask", "hermes", "pythonic",
)  # fmt: skip
OUTCOMES = ("call", "answer", "refused")


def tools_of(name: str) -> list[Any]:
    """Return the tools of a dialect; there is one if it does not name them."""
    return TOOLS[:1] if name == "self_ask" else TOOLS


def ask(
    server: Server, name: str, question: str, steps: Sequence[Any] = (), seed: int = 1
) -> Reply:
    """Let the model write a turn, after a text or, for dialects of chat models, messages."""
    parser = get_parser(name, tools=tools_of(name))
    if parser.dialect.several:
        messages = parser.render_prompt(question, steps, as_messages=True)
        return server.chat(messages, stop=parser.stop, seed=seed)
    prompt = parser.render_prompt(question, steps)
    return server.complete(prompt, stop=parser.stop, seed=seed)


def replies(
    server: Server, dialects: Sequence[str] = DIALECTS, questions: Sequence[str] = QUESTIONS
) -> Iterator[dict[str, str]]:
    """Yield a reply to each question in each dialect."""
    for name in dialects:
        for seed, question in enumerate(questions):
            reply = ask(server, name, question, seed=seed)
            yield {"dialect": name, "question": question, **reply._asdict()}


def outcome(parse: Callable[[], Any]) -> str:
    """Return what became of a reply: ``"call"``, ``"answer"`` or ``"refused"``."""
    try:
        result = parse()
    except ValueError:  # an `OutputParserException`, ours or LangChain's
        return "refused"
    return "answer" if type(result).__name__ == "AgentFinish" else "call"


def readers(name: str) -> dict[str, Callable[[dict[str, str]], Any]]:
    """Return what reads the replies of a dialect, by name."""
    found: dict[str, Callable[[dict[str, str]], Any]] = {}
    for mode, lenient in (("strict", False), ("lenient", True)):
        parser = get_parser(name, tools=tools_of(name), lenient=lenient)
        found[mode] = lambda each, p=parser: p.parse(each["text"], ended=each["ended"])
    theirs = langchain_parser(name)
    if theirs is not None:
        found["LangChain"] = lambda each: theirs.parse(each["text"])
    if name in _JSON and find_spec("json_repair") is not None:
        found["json_repair"] = lambda each: repaired(each["text"])
    return found


_JSON = ("react_json", "json", "structured_chat", "hermes")
"""The dialects whose calls are objects of JSON."""


def repaired(text: str) -> AgentAction | AgentFinish:
    """Return the action in the value that json_repair makes of *text*, the first if of several.

    Raises:
        ValueError: It makes nothing of it that names a tool.
    """
    from json_repair import loads

    value: Any = loads(text)
    first = value[0] if isinstance(value, list) and value else value
    keys = ("action", "action_input") if isinstance(first, dict) and "action" in first else _CALL
    tool = first.get(keys[0]) if isinstance(first, dict) else None
    if not isinstance(tool, str):
        raise ValueError("it is no call")  # noqa: TRY004 - as a parser refuses
    if tool == "Final Answer":
        return AgentFinish({"output": first.get(keys[1])}, text)
    return AgentAction(tool, str(first.get(keys[1], "")), text)


_CALL = ("name", "arguments")


def langchain_parser(name: str) -> Any:
    """Return LangChain's own parser of a dialect; `None` if there is none, or it is not here."""
    try:
        from langchain_classic.agents import output_parsers as theirs
    except ImportError:
        return None
    names = {
        "react": "ReActSingleInputOutputParser", "react_json": "ReActJsonSingleInputOutputParser",
        "json": "JSONAgentOutputParser", "structured_chat": "ReActJsonSingleInputOutputParser",
        "xml": "XMLAgentOutputParser", "self_ask": "SelfAskOutputParser",
    }  # fmt: skip
    return getattr(theirs, names[name])() if name in names else None


def table(found: Sequence[dict[str, str]]) -> str:
    """Return the shares of outcomes, by dialect and reader."""
    rows = [f"| dialect | reader | {' | '.join(OUTCOMES)} |", "|---" * (2 + len(OUTCOMES)) + "|"]
    for name in dict.fromkeys(each["dialect"] for each in found):
        for reader, read in readers(name).items():
            of_dialect = [each for each in found if each["dialect"] == name]
            counts = Counter(outcome(lambda e=e, read=read: read(e)) for e in of_dialect)
            cells = " | ".join(f"{counts[each]} of {len(of_dialect)}" for each in OUTCOMES)
            rows.append(f"| {name} | {reader} | {cells} |")
    return "\n".join(rows)


def streamed_otherwise(found: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return the replies that are not read alike in pieces of some sizes and whole."""
    odd = []
    for each in found:
        for lenient in (False, True):
            name = each["dialect"]
            parser = get_parser(name, tools=tools_of(name), lenient=lenient)
            text, ended = each["text"], each["ended"]
            pieces = (cut(text, [size]) for size in (1, 4, 9))
            if any(_read(parser, some, ended) != _read(parser, [text], ended) for some in pieces):
                odd.append(each)
    return odd


def _read(parser: Any, chunks: Iterable[str], ended: str) -> Any:
    stream = parser.stream_parser()
    try:
        for chunk in chunks:
            stream.feed(chunk)
        stream.close(ended=ended)
    except OutputParserException as error:
        return str(error)
    result = stream.result
    return result.return_values if isinstance(result, AgentFinish) else str(result)


def write(found: Sequence[dict[str, str]], path: Path) -> None:
    """Write the replies, a line of JSON each."""
    path.write_text("".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in found), "utf-8")
