"""Rules, tables and problems of the dialects that write calls as JSON in blocks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.calls.json.members import CallKeys
from agent_parsers.engine.calls.json.rules import JsonCallRules
from agent_parsers.engine.calls.marks import Before
from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.engine.grammar.table import Go
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.families.call_blocks import calls_dialect, calls_table
from agent_parsers.families.json_steps import ENCODED, OTHER_INPUTS, OTHER_TOOLS, WRAPPERS
from agent_parsers.families.turn_writer import write_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers.engine.grammar.dialect import Dialect, WrittenCall
    from agent_parsers.engine.grammar.table import Table

__all__ = [
    "BARE_PROBLEMS", "LIST_PROBLEMS", "PROBLEMS", "bare_rules", "block_rules", "json_dialect",
    "list_dialect", "with_marks", "write_named",
]  # fmt: skip

PROBLEMS: Final[Mapping[str, Problem]] = {
    "nothing": Problem(
        "expected a call or an answer",
        "Invalid Format: Write a call, or the answer.",
    ),
    "no_tool": Problem(
        "expected the name of a tool",
        "Invalid Format: The call has no name of a tool.",
    ),
    "no_input": Problem(
        "expected an input for the tool",
        "Invalid Format: The call has no input.",
    ),
    "bad_call": Problem(
        "expected a call with the name of a tool and its input",
        "Invalid Format: The call cannot be read. Write it again, with the name of the tool and its"
        " input.",
    ),
    "quoted_call": Problem(
        "expected a call, found one in the middle of a sentence",
        "The call stands in a sentence, so nothing was done. If you mean it, write it alone.",
    ),
    "open_reasoning": Problem(
        "expected the end of the reasoning, and after it a call or an answer",
        "The reasoning was not closed. Close it, then write a call or the answer.",
    ),
}
"""What can be wrong with a turn, for dialects that say 'call' instead of 'action'."""
LIST_PROBLEMS: Final[Mapping[str, Problem]] = {
    **PROBLEMS,
    "after_call": Problem(
        "expected a JSON list of calls, and nothing else",
        "Invalid Format: Write the calls as one JSON list, with commas between them, and nothing"
        " else.",
    ),
}
"""The same for calls in a list."""
BARE_PROBLEMS: Final[Mapping[str, Problem]] = {
    "open_call": Problem(
        "expected the end of the JSON",
        "The JSON is cut off, so nothing was done. Write it again, whole.",
    ),
}
"""For dialects in which no marker distinguishes a call from an answer in JSON."""

json_dialect: Final = partial(calls_dialect, problems=PROBLEMS)
"""`calls_dialect` with `PROBLEMS`."""


def _is_opener(opener: str, fence: str, is_lead: bool) -> bool:
    return is_lead and "".join(fence.split()) == opener


def _is_dressed(_fence: str, is_lead: bool) -> bool:
    return is_lead


def _anywhere(fence: str, is_lead: bool) -> bool:
    return is_lead or fence.strip() != "`" or "\n" in fence


def _on_a_line(fence: str, is_lead: bool) -> bool:
    return is_lead or "\n" in fence


def block_rules(
    tool: str = "name", tool_input: str = "arguments", *, call_id: str = "", enclosed: str = ""
) -> tuple[JsonCallRules, JsonCallRules]:
    """Return the rules of strict and of lenient mode.

    Args:
        tool: Key of the tool's name.
        tool_input: Key of its input.
        call_id: Key of the call's id; empty if calls have no id.
        enclosed: What opens a list of calls: ``[``, or a fence and ``[``; empty without a list.
    """
    strict = JsonCallRules(
        keys=CallKeys(tool=tool, input=tool_input, id=call_id, other_inputs=OTHER_INPUTS),
        may_open=partial(_is_opener, enclosed),
        enclosed=enclosed,
        reads_null=True,
        several=True,
        is_marked=True,
    )
    keys = replace(
        strict.keys,
        other_tools=OTHER_TOOLS | {"function"},
        other_inputs=OTHER_INPUTS,
        wrappers=WRAPPERS,
        encoded=ENCODED,
        folds=True,
    )
    lenient = replace(strict, keys=keys, may_open=_anywhere, lenient=True, strict=strict)
    return _followed(strict, lenient)


def _followed(strict: JsonCallRules, lenient: JsonCallRules) -> tuple[JsonCallRules, JsonCallRules]:
    """Return the rules, extended by those for calls that directly follow the first."""
    may_open = lenient.may_open if lenient.in_rows else _is_dressed
    next_strict = replace(strict, may_open=partial(_is_opener, ""), enclosed="")
    next_lenient = replace(lenient, may_open=may_open, strict=next_strict, enclosed="")
    strict = replace(strict, following=next_strict)
    return strict, replace(lenient, following=next_lenient, strict=strict)


def bare_rules(
    rules: tuple[JsonCallRules, JsonCallRules], *, anywhere: bool = False, on_a_line: bool = False
) -> tuple[JsonCallRules, JsonCallRules]:
    """Return *rules* for calls without a marker, in which a name alone is not a call.

    Args:
        rules: The rules of strict and of lenient mode.
        anywhere: Whether prose may precede a call in lenient mode.
        on_a_line: Whether prose may precede a call on earlier lines in lenient mode.
    """
    strict, lenient = (
        replace(each, keys=replace(each.keys, is_call_alone=False), is_marked=False)
        for each in rules
    )
    may_open = _anywhere if anywhere else _on_a_line if on_a_line else _is_dressed
    in_rows = anywhere or on_a_line
    return _followed(strict, replace(lenient, may_open=may_open, in_rows=in_rows, strict=strict))


def with_marks(table: Table, *marks: str) -> Table:
    """Return a *table* in which *marks* open a call as well, which is reported as a repair."""
    markers = {f"call after {mark}": Literal(mark) for mark in marks}
    odd = "read a mark that the dialect does not write"
    transitions = {
        (state, name): transition._replace(odd=odd)
        for (state, marker), transition in table.transitions.items()
        if marker == "call" and isinstance(transition, Go)
        for name in markers
    }
    return replace(
        table,
        markers={**table.markers, **markers},
        transitions={**table.transitions, **transitions},
    )


def list_dialect(
    name: str,
    sample: str,
    *,
    marks: tuple[str, str],
    end: str,
    rules: tuple[JsonCallRules, JsonCallRules],
    other_marks: tuple[str, ...] = (),
    closer: str = "",
    is_word: bool = False,
    **own: Any,
) -> Dialect:
    """Return a dialect whose calls are JSON in blocks of their own; it has no thoughts.

    Args:
        name: Name of the dialect.
        sample: A turn as the model writes it.
        marks: What opens and closes a block.
        end: What ends a turn.
        rules: The rules of strict and of lenient mode.
        other_marks: Other markers that open a block in lenient mode.
        closer: An optional closer of a block in lenient mode, if *marks* has no closer.
        is_word: Whether the marker that opens a block is also a word of prose.
        own: Other arguments of `calls_dialect`.
    """
    call = partial(JsonCalls, closed=bool(marks[1]))

    def table(rules: JsonCallRules, **more: Any) -> Table:
        made = calls_table(
            partial(call, rules), ends=(end,), thought=None, **{"call": marks, **more}
        )
        opener = {"call": Before(marks[0])} if is_word else {}
        return replace(made, markers={**made.markers, **opener})

    return json_dialect(
        name,
        sample,
        strict=table(rules[0]),
        lenient=with_marks(
            table(
                rules[1],
                call=(marks[0], marks[1] or closer),
                odd=() if marks[1] else ("end of call",),
                lenient=True,
            ),
            *other_marks,
        ),
        stop=(end,),
        **{"problems": LIST_PROBLEMS if rules[0].enclosed else PROBLEMS, **own},
    )


def write_named(call: WrittenCall) -> str:
    """Return a call as a JSON object with ``name`` and ``arguments``."""
    return write_json({"name": call.tool, "arguments": call.tool_input})
