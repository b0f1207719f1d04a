"""The texts that `differ.py` reads: cases, turns and transcripts, as they are, dressed and mutated.

They depend only on the dialect, the seed and how many are asked for.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from _differ_changes import dressed, mutated

from agent_laws.trials.pieces import a_tool, rows, written
from agent_laws.trials.quotations import quotations
from agent_laws.trials.sample_calls import (
    OBJECTS,
    TEXTS,
    calls_in,
    reading,
    sample_turns,
)
from agent_parsers import (
    AgentAction,
    OutputParserException,
    ToolSet,
    ToolSpec,
    get_dialect,
    parse_transcripts,
)
from agent_parsers.authoring import Result, Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agent_parsers import Dialect

CASES: Final = Path(__file__).parents[2] / "tests" / "cases"
_VISIBLE: Final = str.maketrans({"␣": " ", "␉": "\t", "␍": "\r"})
_ANSWERS: Final = (
    "It is 217 m deep.",
    'Write "Action:" on a line of its own, or {"name": "search"}.',
    "1. Thun\n2. Brienz\n\n```json\n{}\n```",
)
_OBSERVATIONS: Final = ("217 m", "", "two\n\nlines", '{"depth": 217, "unit": "m"}')
_QUERY: Final = {"query": {"type": "string", "default": "lakes"}}
_USUAL_TOOLS: Final = json.dumps({"search": _QUERY, "transfer": _QUERY, "ping": {}})
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}


class Made(NamedTuple):
    """A text, in the form in which the reader takes it."""

    dialect: str
    kind: str
    """``"run"`` if it is a transcript; ``"dressed"``, ``"mutant"``, or what the turn is."""
    text: str
    tools: str
    """The parameters of the tools that it calls, by name, as JSON."""


def texts_of(name: str, count: int, seed: int) -> Iterator[Made]:
    """Yield *count* texts of a dialect; a tenth are transcripts, if the dialect has them.

    Up to a third are as a case has them or the dialect writes them. Of the others, half are dressed
    and half are mutants.
    """
    dialect, random = get_dialect(name), Random(f"{seed} {name}")
    runs = runs_of(dialect)
    shares = [(turns_of(dialect), count - count // 10 if runs else count)]
    shares += [({"run": runs}, count // 10)] if runs else []
    for groups, share in shares:
        whole = [*in_turn(groups, random)][: share // 3]
        for kind, text in whole:
            yield Made(name, kind, text, tools_in(dialect, kind, text))
        for number in range(len(whole), share):
            kind = random.choice([*groups])
            text = random.choice(groups[kind])
            tools = tools_in(dialect, kind, text)
            new, change = (("dressed", dressed), ("mutant", mutated))[number % 2]
            yield Made(name, new if kind != "run" else kind, change(text, random, dialect), tools)


def in_turn(groups: dict[str, list[str]], random: Random) -> Iterator[tuple[str, str]]:
    """Yield all texts with their kinds, one of each kind after the other, in random order."""
    shuffled = [
        [(kind, text) for text in random.sample(texts, len(texts))]
        for kind, texts in groups.items()
    ]
    for each in zip_longest(*shuffled):
        yield from filter(None, each)


# -- turns -------------------------------------------------------------------------------------


def turns_of(dialect: Dialect) -> dict[str, list[str]]:
    """Return turns by what they are."""
    answers = [_written(dialect, Written("I know.", answer=answer)) for answer in _ANSWERS]
    turns = [turn.text for turn in sample_turns(dialect)]
    groups = {
        "case": [text for folder in ("", "wild", "wrong") for text in cases(folder, dialect.name)],
        "turn": [*turns, *written(dialect), *answers],
        "row": [text for mode in ("strict", "lenient") for text in rows(dialect, mode)],
        "quotation": [found.text for found in quotations(dialect, "lenient")],
        "prose": harmless(),
    }
    return {kind: unique for kind, texts in groups.items() if (unique := _unique(texts))}


def cases(folder: str, name: str) -> list[str]:
    """Return the texts of a file in ``tests/cases``; ``react.txt`` says how it is written."""
    path = CASES / folder / f"{name}.txt"
    if not path.exists():
        return []
    blocks = re.split(r"(?m)^\.\n", path.read_text(encoding="utf-8"))
    has_outcomes = folder not in ("wild", "wrong")
    texts = blocks[1 :: 3 if has_outcomes else 2]
    return [text.removesuffix("\n").translate(_VISIBLE) for text in texts]


@cache
def harmless() -> list[str]:
    """Return prose that mentions tools."""
    path = CASES / "answers" / "harmless.txt"
    texts = re.split(r"(?m)^%%\n", path.read_text(encoding="utf-8"))
    return [text.partition("\n")[2].removesuffix("\n") for text in texts if text.strip()]


def _written(dialect: Dialect, step: Written) -> str:
    """Return a step as the dialect writes it, or ``""`` if it cannot."""
    try:
        return dialect.write(step)
    except ValueError:
        return ""


def _unique(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text.strip()]


# -- transcripts -------------------------------------------------------------------------------


def runs_of(dialect: Dialect) -> list[str]:
    """Return transcripts of one or more steps; empty if the dialect has none."""
    if not dialect.lenient.transcript_start:
        return []
    inputs = [each for each in (*TEXTS, *OBJECTS) if _step(dialect, each, "x", 1)]
    made = [
        _run(dialect, inputs[at:] + inputs[:at], size)
        for at in range(len(inputs))
        for size in (1, 2, 4)
    ]
    return _unique([*cases("transcripts", dialect.name), dialect.sample, *made])


def _run(dialect: Dialect, inputs: list[Any], size: int) -> str:
    """Return a transcript with this many calls, and an answer."""
    steps = [
        _step(dialect, each, _OBSERVATIONS[(size + at) % len(_OBSERVATIONS)], at + 1)
        for at, each in enumerate(inputs[:size])
    ]
    said = Written("I know it." * dialect.thinks, answer=_ANSWERS[0], number=size + 1)
    return f"Question: How deep is it?\n{''.join(steps)}{_written(dialect, said)}"


def _step(dialect: Dialect, tool_input: Any, seen: str, number: int) -> str:
    """Return a step with an observation, or ``""`` if the dialect cannot write it."""
    tool, thought = a_tool(dialect), "I look." * dialect.thinks
    said = _written(dialect, Written(thought, tool, tool_input, number=number))
    result = dialect.results_text([Result(tool, seen)], number)
    if result.endswith((":", "：")):  # the label of the next thought, which the next step has
        result = result.rpartition("\n")[0]
    return said and f"{said}{result.rstrip()}\n"


# -- tools -------------------------------------------------------------------------------------


@cache
def tools_in(dialect: Dialect, kind: str, text: str) -> str:
    """Return the parameters of the tools that a text calls, by name, as JSON."""
    if kind == "run":
        try:
            runs = parse_transcripts(text, dialect=dialect)
        except OutputParserException:
            return _USUAL_TOOLS
        steps = [step.action for run in runs for step in run.steps]
        calls = [(s.tool, s.tool_input) for s in steps if isinstance(s, AgentAction)]
    else:
        calls = [(c.tool, c.tool_input) for c in calls_in(reading(dialect, "lenient", text))]
    tools: dict[str, dict[str, Any]] = {}
    for tool, tool_input in calls:
        given = {"query": tool_input} if isinstance(tool_input, str) else tool_input
        known = {key: _parameter(value) for key, value in given.items()}
        tools[tool] = tools.get(tool, {}) | known
    try:  # a call may have a name that no tool has
        ToolSet([ToolSpec(tool, "", {"properties": tools[tool]}) for tool in tools])
        return json.dumps(tools) if tools else _USUAL_TOOLS
    except (TypeError, ValueError):
        return _USUAL_TOOLS


def _parameter(value: Any) -> dict[str, Any]:
    """Return a schema that allows *value*, and has it as the default."""
    kind = "object" if isinstance(value, dict) else _TYPES.get(type(value), "null")
    return {"type": ["string", "null"] if kind == "null" else kind, "default": value}
