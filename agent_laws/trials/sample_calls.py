"""Deterministic turns with inputs that are hard to parse, and the calls that they mean."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_laws.trials.pieces import a_tool, sample_action
from agent_laws.trials.stories import Outcome, outcome_of, results_in
from agent_laws.trials.tool_shapes import beginning_of
from agent_parsers import AgentAction, get_parser
from agent_parsers.authoring import Written, WrittenCall
from agent_parsers.core import known_tools

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode
    from agent_parsers.core import AnyDialectParser
    from agent_parsers.toolset import Tools, ToolSet
    from outputs import Ended


NOT_CUT: Final[tuple[Ended, ...]] = ("unknown", "stop")
"""How a text ends that was not cut, as far as is known."""
ENDS: Final[tuple[Ended, ...]] = (*NOT_CUT, "length")
"""How a text may end."""


class Meant(NamedTuple):
    """A call that a text makes, or is meant to make."""

    tool: str
    """Name of the tool."""
    tool_input: Any
    """Its input."""


class RawInput(NamedTuple):
    """The last input of a turn, which is raw text."""

    start: int
    """Offset in the text at which it begins."""
    is_json: bool
    """Whether it looks like JSON, whose end is recognisable."""
    closer: str
    """The text that must follow it; empty if it may end with the turn."""
    text: str
    """The input as it is read."""

    def may_end(self, text: str, ended: Ended) -> bool:
        """Return whether the input may be complete in *text*, a prefix of the turn.

        This is so if the input may end with the turn, or if it contains its own closer. An input
        that has not begun is missing.
        """
        if not text[self.start :].strip():
            return False
        return text.endswith(self.closer) if self.closer else ended != "length"


@lru_cache(maxsize=64)
def quick_parser(dialect: Dialect, mode: Mode, tools: tuple[str, ...] | ToolSet | None) -> Any:
    """Return a parser of single turns; parsers are cached."""
    return get_parser(dialect, lenient=mode == "lenient", tools=tools)


def parser_for(dialect: Dialect, mode: Mode, tools: Tools | ToolSet | None) -> AnyDialectParser:
    """Return a parser of single turns that knows these *tools*."""
    parser: AnyDialectParser = quick_parser(dialect, mode, known_tools(tools))
    return parser


def reading(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    tools: Tools | ToolSet | None = None,
    ended: Ended = "unknown",
    as_stream: bool = False,
) -> Outcome:
    """Return the result of reading *text*, by `parse` or as a stream."""
    parser = parser_for(dialect, mode, tools)
    if as_stream:
        return outcome_of(lambda: parser.read(text, ended=ended).result)  # type: ignore[no-any-return]
    return outcome_of(lambda: parser.parse(text, ended=ended))  # type: ignore[no-any-return]


def turn_of(parser: AnyDialectParser, text: str, ended: Ended) -> Any:
    """Return the turn with this *text*, or a `Refusal`."""
    return outcome_of(lambda: parser.read(text, ended=ended))


def calls_in(outcome: Outcome) -> list[Meant]:
    """Return the calls in *outcome*; answers and errors have none."""
    results = results_in(outcome)
    return [Meant(each.tool, each.tool_input) for each in results if isinstance(each, AgentAction)]


def first_wrong(calls: Sequence[Meant], meant: Sequence[Meant]) -> int | None:
    """Return the index of the first of *calls* that differs from *meant*, or `None`."""
    for place, call in enumerate(calls):
        if place >= len(meant) or call.tool != meant[place].tool:
            return place
        if not same_input(call.tool_input, meant[place].tool_input):
            return place
    return None


def same_input(one: Any, other: Any) -> bool:
    """Return whether two inputs are equal, types included: 1 equals neither `True` nor 1.0."""
    return one == other and json.dumps(one, default=repr) == json.dumps(other, default=repr)


def raw_input(dialect: Dialect, text: str) -> RawInput | None:
    """Return the last input of *text*, a whole turn, if it is raw text, or else `None`.

    The input extends to the end of the turn, to a stop sequence, or to its closer.
    """
    calls = calls_in(reading(dialect, "strict", text, ended="stop"))
    if not calls or not isinstance(calls[-1].tool_input, str) or not calls[-1].tool_input:
        return None
    written = calls[-1].tool_input
    # The rest may contain escapes.
    start = max(text.rfind(written), text.rfind(written.partition("<")[0] or "\0"))
    if start < 0 or text[:start].endswith(('"', "'")):
        return None
    behind = text[start + len(written) :].strip()
    stops = [stop.strip() for stop in dialect.stop]
    if not text.startswith(written, start):  # it has escapes, and is longer as it is written
        ends = (text.find(stop, start) for stop in stops)
        behind = text[min((end for end in ends if end >= 0), default=len(text)) :]
    is_stop = any(stop and behind.startswith(stop) for stop in stops)
    is_json = written.lstrip()[:1] in ("{", "[")
    return RawInput(start, is_json, "" if is_stop else behind, written)


def is_cut_short(call: Meant, meant: Meant, raw: RawInput) -> bool:
    """Return whether *call* is the call *meant*, except that its *raw* input is cut."""
    if call.tool != meant.tool:
        return False
    if isinstance(call.tool_input, str):
        return isinstance(meant.tool_input, str)
    # Text is read as the lone parameter, unless it is empty.
    values = list(call.tool_input.values())
    if len(values) != 1 or values[0] in ("", None):
        return False
    return not raw.is_json or str(values[0]).startswith(raw.text)  # with half of its closer


# -- turns with inputs that are hard to parse ------------------------------------------------------

OBJECTS: Final[tuple[dict[str, Any], ...]] = (
    {"path": "/a", "dry_run": True},
    {},
    {"to": "A", "amount": 120, "rate": 0.25, "is_test": False, "note": None},
    {
        "via": ["Olten", "Thun"],
        "options": {"deep": {"a": [1, {"b": "c"}], "e": {}}, "z": []},
        "last": -7,
    },
    {"body": 'say "hi", {ok} [x] </p> `b` \\ \n- two }\n]', "end": '"}]'},
    {"n": 10, "m": 1000},
    {"text": "via Olten, to Thun"},
)
"""Inputs with values of every JSON type, and one that is nothing but text."""
TEXTS: Final = (
    "oldest bridge in Bern",
    "120",
    "print(a[0], {b: 'c'})",
    '{"path": "/a", "dry_run": true}',
)
"""Inputs that are text."""
_TOOLS: Final = ("transfer", "ping", "save")


class SampleTurn(NamedTuple):
    """A turn that the dialect writes."""

    text: str
    """The text of the turn."""
    calls: tuple[WrittenCall, ...]
    """The calls in it."""


@cache
def sample_turns(dialect: Dialect) -> tuple[SampleTurn, ...]:
    """Return turns of one and of several calls, with and without thoughts and content.

    Turns that the dialect cannot write are skipped.
    """
    found = (written_turn(dialect, *asked) for asked in _asked(dialect))
    return tuple(turn for turn in found if turn is not None)


def _asked(dialect: Dialect) -> Iterator[tuple[Any, ...]]:
    for tool_input in (*TEXTS, *OBJECTS):
        yield (tool_input,)
    yield TEXTS[0], "I look it up.", "One moment."
    yield OBJECTS[0], "I look it up.", "One moment."
    yield OBJECTS[2], "", "One moment."
    if dialect.several:
        yield OBJECTS[0], "", "", OBJECTS[2]
        yield {}, "I look it up.", "", OBJECTS[3], {}
        own = written_turn(dialect, {"query": "lakes"})
        if own is not None:  # a value that quotes a call
            yield {"body": f"Write {own.text} here", "to": "A"}, "", ""


def written_turn(
    dialect: Dialect,
    tool_input: str | dict[str, Any],
    thought: str = "",
    content: str = "",
    *others: dict[str, Any],
) -> SampleTurn | None:
    """Return a turn with calls for *tool_input* and *others*, or `None` if it cannot be written.

    Content is dropped if the dialect has no content next to calls.
    """
    first, *more = _TOOLS if a_tool(dialect) == "search" else [a_tool(dialect)] * len(_TOOLS)
    calls = (WrittenCall(first, tool_input), *map(WrittenCall, more, others))
    step = Written(
        thought if dialect.thinks else "",
        first,
        tool_input,
        content=content if dialect.several else "",
        others=calls[1:],
    )
    try:
        text = dialect.write(step)
    except ValueError:
        return None
    read = calls_in(reading(dialect, "strict", text, ended="stop"))
    if [call.tool for call in read] != [call.tool for call in calls]:
        return None
    for call, wanted in zip(read, calls, strict=True):
        if isinstance(wanted.tool_input, dict) is isinstance(call.tool_input, dict):
            if set(call.tool_input) != set(wanted.tool_input):
                return None
        elif isinstance(wanted.tool_input, str):
            return None
    return SampleTurn(text, calls)


def seams(turn: SampleTurn) -> list[int]:
    """Return the offsets at which the first part of a *turn* looks like a whole turn.

    They are after the beginning of each name, after the name, after the opening of the input, and
    in the text that closes the last input.
    """
    found, at = [0, *range(max(len(turn.text) - 8, 0), len(turn.text))], 0
    for call in turn.calls:
        at = max(turn.text.find(call.tool, at), at)
        end = at + len(call.tool)
        behind = range(end, min(end + 40, len(turn.text)))
        opened = [place for place in behind if turn.text[place - 1] in ":：\n>[({"]
        found += (at + len(beginning_of(call.tool)), end, *opened)
    return found


def usual_turn(dialect: Dialect, word: str) -> SampleTurn:
    """Return a turn with a call whose input is *word*, as text or in an object."""
    is_text = isinstance(sample_action(dialect).tool_input, str)
    turn = written_turn(dialect, word if is_text else {"query": word})
    assert turn is not None, "every dialect can write a plain word"
    return turn
