"""What the playground shows for its inputs: data in, data out, wherever it runs.

The page sends a request for each change, to a server or to Python in the page itself::

    {"dialect": "react", "mode": "lenient", "text": "Thought: …", "tools": "search, clock",
     "cuts": [7, 20], "ended": "unknown", "start": "", "view": "reading"}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from agent_parsers import ToolSet, get_dialect, get_parser, list_dialects
from agent_parsers.constrain import GrammarError
from agent_parsers.core import listed_tools
from agent_parsers.events import ActionComplete, Finish, MarkerSeen, Repair, StepFailed, ToolNamed
from agent_parsers.html import explanation_html
from agent_runs import detect
from output_parsers import OutputParserException
from outputs import Ended
from outputs.html import fragment

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import AnyDialectParser
    from agent_parsers.events import Event
    from agent_parsers.explain import ExplainedChunk

LONGEST_TEXT: Final = 100_000
"""Longest text that the playground reads, in characters."""
_MOST_CUTS: Final = 200
_BROKEN: Final = (
    "I should look it up.\n\n**Action:** `Search`\n"
    "**Action Input:** {'query': 'oldest bridge in Bern', limit: 3,}"
)
_TOOL: Final = "search"
_QUESTION: Final = "How old is the oldest bridge of Bern?"

View: TypeAlias = Literal["reading", "events", "prompt", "grammar", "template", "python"]


def _text(value: object) -> str:
    """Check a text; pydantic itself refuses lone surrogates, which models do write."""
    if not isinstance(value, str):
        raise ValueError("expected text")  # noqa: TRY004 - pydantic reports it
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"the playground reads at most {LONGEST_TEXT:,} characters")
    return value


_Text: TypeAlias = Annotated[str, PlainValidator(_text)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    dialect: str
    mode: Literal["lenient", "strict"] = "lenient"
    text: _Text = ""
    tools: _Text = ""
    cuts: list[int] = Field(default_factory=list, max_length=_MOST_CUTS)
    ended: Ended = "unknown"
    start: Literal["", "content", "thought"] = ""
    view: View = "reading"


def answer(request: str | bytes) -> str:
    """Return what the page shows for a *request*, both as JSON.

    Returns:
        An object with ``problem`` if the request is not well formed, such as tools that are not
        JSON; else with what the view shows, and for ``{"list": true}`` with the dialects.
    """
    try:
        data = json.loads(request)
        shown = _dialects() if data == {"list": True} else _shown(_Request.model_validate(data))
    except ValidationError as error:
        first = error.errors()[0]
        shown = {"problem": f"{'.'.join(map(str, first['loc']))}: {first['msg']}"}
    except (ValueError, TypeError, RecursionError) as error:
        shown = {"problem": str(error)}
    return json.dumps(shown)


def _dialects() -> dict[str, Any]:
    """Return the dialects, each with a turn, and a broken reply to begin with."""
    known = map(get_dialect, list_dialects())
    return {"dialects": [_row(dialect) for dialect in known], "text": _BROKEN, "tools": _TOOL}


def _row(dialect: Dialect) -> dict[str, Any]:
    written = replace(dialect.example, thought="I should look it up." if dialect.thinks else "")
    return {
        "name": dialect.name,
        "summary": dialect.summary,
        "several": dialect.several,
        "text": dialect.write(written),
    }


def _shown(request: _Request) -> dict[str, Any]:
    tools = listed_tools(request.tools) if request.tools.strip() else None
    name = request.dialect
    if name == "auto":
        try:
            name = detect(request.text, tools=tools).dialect
        except OutputParserException as error:
            return {"problem": f"{str(error).partition('; list_dialects')[0]}: choose a dialect"}
    parser = get_parser(
        get_dialect(name), tools=tools, lenient=request.mode == "lenient", start=request.start
    )
    shown = _VIEWS[request.view](parser, request.model_copy(update={"dialect": name}))
    return {**shown, "dialect": name, "parsed_us": round(_parsing_us(parser, request), 1)}


def _parsing_us(parser: AnyDialectParser, request: _Request) -> float:
    """Return how long the parser takes for the text, in µs, once it is compiled."""
    taken = []
    for _ in range(3):
        begun = perf_counter()
        with suppress(OutputParserException):
            parser.parse(request.text, ended=request.ended)
        taken.append(perf_counter() - begun)
    return min(taken) * 1e6


def _reading(parser: AnyDialectParser, request: _Request) -> dict[str, Any]:
    explanation = parser.explain(request.text, ended=request.ended)
    return {
        "html": fragment(explanation_html(explanation)),
        "is_error": explanation.error is not None,
    }


def _events(parser: AnyDialectParser, request: _Request) -> dict[str, Any]:
    text = request.text
    cuts = sorted({cut for cut in request.cuts if 0 < cut < len(text)})
    chunks = (text[start:end] for start, end in pairwise((0, *cuts, len(text))))
    rows = parser.explain_chunks(chunks, ended=request.ended)
    return {"chunks": [_chunk(row, text) for row in rows]}


def _chunk(row: ExplainedChunk, text: str) -> dict[str, Any]:
    return {
        "text": row.text,
        "events": [_told(event) for event in row.events],
        "held": text[slice(*row.held)],
        "reason": row.reason,
        "error": "" if row.error is None else row.error.pointer(),
    }


def _told(event: Event) -> dict[str, str]:
    """Return the name of an event and what it says."""
    match event:
        case ToolNamed(name):
            said = name
        case MarkerSeen(name):
            said = name
        case ActionComplete(action):
            said = f"{action.tool}({json.dumps(action.tool_input, ensure_ascii=False)})"
        case Finish(result):
            said = json.dumps(result.return_values, ensure_ascii=False, default=str)
        case Repair(kind, _, message):
            said = f"{kind}: {message}"
        case StepFailed(error):
            said = str(error)
        case _:
            said = json.dumps(event.text, ensure_ascii=False)
    return {"name": type(event).__name__, "said": said}


def _prompt(parser: AnyDialectParser, _request: _Request) -> dict[str, Any]:
    if parser.tools is None:
        parser = parser.model_copy(update={"tools": ToolSet([_TOOL])})
    return {"text": parser.render_prompt(_QUESTION, []), "stop": parser.stop}


def _grammar(parser: AnyDialectParser, _request: _Request) -> dict[str, Any]:
    try:
        grammar = parser.grammar("gbnf")
        return {"text": "".join(f"# {note}\n" for note in grammar.notes) + grammar}
    except GrammarError as error:
        return {"problem": str(error)}


def _template(parser: AnyDialectParser, _request: _Request) -> dict[str, Any]:
    try:  # it needs `regex`, of which there is no build for browsers
        from agent_serving.templates.response.export import response_template
    except ModuleNotFoundError as error:
        return {"problem": f"{error} in the browser: run `agent-parsers playground` to see this"}
    try:
        written = response_template(parser.dialect)
    except ValueError as error:
        return {"problem": str(error)}
    return {"text": json.dumps(written, ensure_ascii=False, indent=2)}


def _python(parser: AnyDialectParser, request: _Request) -> dict[str, Any]:
    """Return a program that does the same."""
    given = [repr(request.dialect)]
    if (tools := parser.tools) is not None:
        has_schemas = any(map(tools.checks, tools.names))
        given.append(f"tools={tools.openai_tools() if has_schemas else tools.names!r}")
    given += ["lenient=False"] if request.mode == "strict" else []
    given += [f"start={request.start!r}"] if request.start else []
    ended = "" if request.ended == "unknown" else f", ended={request.ended!r}"
    lines = (
        "from agent_parsers import OutputParserException, get_parser",
        "",
        f"parser = get_parser({', '.join(given)})",
        f"text = {request.text!r}",
        "try:",
        f"    turn = parser.read(text{ended})",
        "    print(turn.result)",
        "    print(*turn.repairs, sep='\\n')",
        "except OutputParserException as error:",
        "    print(error.pointer(), error.observation, sep='\\n')",
    )
    return {"text": "\n".join(lines)}


_VIEWS: Final[Mapping[View, Callable[[AnyDialectParser, _Request], dict[str, Any]]]] = {
    "reading": _reading,
    "events": _events,
    "prompt": _prompt,
    "grammar": _grammar,
    "template": _template,
    "python": _python,
}
