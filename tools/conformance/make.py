"""Writes the vectors anew, from the cases in ``tests/cases`` and from turns that dialects write.

``python -m tools.conformance.make`` writes the files; ``--check`` says which are out of date.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from agent_laws.trials.sample_calls import sample_turns
from agent_parsers import (
    AgentAction,
    Dialect,
    OutputParserException,
    ToolSet,
    get_dialect,
    list_dialects,
)
from agent_parsers.parsers.dialect_parser import dialect_parser
from tools.conformance.vectors import FOLDER, Got, Vector, dump

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES: Final = FOLDER.parents[1] / "tests" / "cases"
VISIBLE: Final = str.maketrans({"␣": " ", "␉": "\t", "␍": "\r"})
LONGEST: Final = 1200
"""Longer texts, of which there are few, are left out."""
MOST_CUTS: Final = 8


def texts(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield what each text shows, and the text."""
    path = CASES / f"{dialect.name}.txt"
    blocks = re.split(r"(?m)^\.\n", path.read_text(encoding="utf-8")) if path.exists() else []
    for heading, text in zip(blocks[::3], blocks[1::3], strict=False):
        (title,) = (line for line in heading.split("\n") if line and line[0] != "#")
        yield title, text.removesuffix("\n").translate(VISIBLE)
    for number, turn in enumerate(sample_turns(dialect), 1):
        yield f"a turn as it is written, {number}", turn.text


def read(
    dialect: Dialect,
    text: str,
    tools: list[Any],
    *,
    lenient: bool = True,
    start: str = "",
    prompt: str = "",
) -> Got:
    """Return what this library makes of *text*.

    Raises:
        OutputParserException: It cannot be read.
        TypeError: The answer is not a text.
    """
    declared = ToolSet(tools, unknown_keys="keep", missing_keys="keep") if tools else None
    options = {"lenient": lenient, "tools": declared, "start": start, "prompt": prompt}
    turn = dialect_parser(dialect, **options).read(text)
    if isinstance(turn.result, AgentAction | list):
        actions = turn.result if isinstance(turn.result, list) else [turn.result]
        return Got(turn.content, turn.thought, [call_of(action) for action in actions])
    answer = turn.result.return_values["output"]
    if not isinstance(answer, str):
        raise TypeError("the answer is not a text")
    return Got(answer, turn.thought)


def outcome(dialect: Dialect, text: str, tools: list[Any], **options: Any) -> Got | str:
    """Return what this library makes of *text*, or why it cannot be read."""
    try:
        return read(dialect, text, tools, **options)
    except OutputParserException as error:
        return str(error)


def call_of(action: AgentAction) -> dict[str, Any]:
    """Return *action* as a call."""
    key = "input" if isinstance(action.tool_input, str) else "arguments"
    return {"name": action.tool, key: action.tool_input}


def tools_for(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools that take the arguments of *calls* as they are; a text is their only one."""
    properties: dict[str, dict[str, Any]] = {}
    for call in calls:
        known = properties.setdefault(call["name"], {})
        for key, value in call.get("arguments", {"input": ""}).items():
            kind = {"type": TYPES[type(value)]}
            known[key] = kind if known.get(key, kind) == kind else {}
    return [
        {
            "type": "function",
            "function": {"name": name, "parameters": {"type": "object", "properties": known}},
        }
        for name, known in properties.items()
    ]


TYPES: Final = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array",
    dict: "object", type(None): "null",
}  # fmt: skip


def vector(dialect: Dialect, number: int, about: str, text: str) -> Vector | None:
    """Return the vector of *text*, or `None` if what it means is a matter of opinion.

    It is if the strict and the lenient reading differ, if the types of the tools change what
    arguments in JSON are, if these are a text, or if the prompt may have opened a thought, and
    `PROMPT` did not.
    """
    made = Vector(f"{dialect.name}/{number}", about, "strict", text, cuts_of(text))
    try:
        plain = outcome(dialect, text, [])
        if isinstance(plain, str):
            readings = [outcome(dialect, text, [], **options) for options in READINGS]
            is_broken = all(isinstance(reading, str) for reading in readings)
            return replace(made, level="broken", error=plain) if is_broken else None
        tools = tools_for(plain.calls)
        want = outcome(dialect, text, tools)
        json.dumps(want if isinstance(want, str) else want.calls, allow_nan=False)
    except (TypeError, ValueError, KeyError):  # a value that JSON does not have
        return None
    takes_text = any("input" in call for call in plain.calls)
    if isinstance(want, str) or not (takes_text or plain == want):
        return None
    if any("input" in call for call in want.calls):
        return None
    made = replace(made, tools=tools, want=want)
    if outcome(dialect, text, tools, start="content") != want:
        if outcome(dialect, text, tools, prompt=PROMPT) != want:
            return None
        made = replace(made, prompt=PROMPT)
    strict = outcome(dialect, text, tools, lenient=False, prompt=made.prompt)
    if isinstance(strict, str):
        return replace(made, level="lenient")
    return made if strict == want and not TEXT_FOR_OBJECT.search(text) else None


TEXT_FOR_OBJECT: Final = re.compile(
    r'"(?:arguments|parameters|args)":\s*"|<\|message\|>"|<\|tools_prefix\|>\[\{"[^"]*":\s*"'
)
"""A text where formats of servers have an object: they have no such calls."""
PROMPT: Final = "<think>\n"
"""The end of a prompt that opens a thought."""
READINGS: Final = ({"lenient": False}, {"start": "content"}, {"prompt": PROMPT})
"""How a text may be read besides leniently."""


def without_stop(dialect: Dialect, text: str) -> str:
    """Return *text* as servers deliver it, without the stop sequence, if that means the same.

    The end of a call is left where it is one, since servers do not stop there by themselves.
    """
    for stop in filter(dialect.closer.__ne__, dialect.stop):
        if (shorter := text.rstrip().removesuffix(stop)) != text.rstrip():
            try:
                same = outcome(dialect, shorter, []) == outcome(dialect, text, [])
            except TypeError:  # the answer is not a text
                same = False
            return shorter if same else text
    return text


def cuts_of(text: str) -> list[int]:
    """Return some offsets within *text*, always the same ones."""
    inside = range(1, len(text))
    chosen = Random(crc32(text.encode())).sample(inside, min(MOST_CUTS, len(inside)))
    return sorted(chosen)


def vectors(name: str) -> list[Vector]:
    """Return all vectors of a dialect."""
    dialect = get_dialect(name)
    found: dict[str, Vector] = {}
    for about, written in texts(dialect):
        text = without_stop(dialect, written)
        if len(text) <= LONGEST and text not in found:
            made = vector(dialect, len(found) + 1, about, text)
            if made is not None:
                found[text] = made
    return list(found.values())


def main() -> int:
    """Write the files, or say which are out of date."""
    is_check = "--check" in sys.argv[1:]
    wanted = {f"{name}.jsonl": dump(vectors(name)) for name in list_dialects()}
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.jsonl")}
    stale = sorted(n for n in wanted.keys() | there.keys() if wanted.get(n) != there.get(n))
    for name in stale:
        if is_check:
            print(f"tools/conformance/{name} is out of date: run `make conformance`")
        elif name in wanted:
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return int(is_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
