"""Texts that try to make a parser act on calls that are not meant."""

from __future__ import annotations

import re
from functools import cache
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_laws.trials.beside_calls import beside_calls
from agent_laws.trials.double_keys import double_keys
from agent_laws.trials.enclosures import enclosed_calls
from agent_laws.trials.foreign_turns import doubtful_turns
from agent_laws.trials.pieces import marker_in, markers, sample_action
from agent_laws.trials.quotations import quotations
from agent_laws.trials.sample_calls import (
    OBJECTS,
    TEXTS,
    Meant,
    RawInput,
    calls_in,
    raw_input,
    reading,
    sample_turns,
    seams,
    usual_turn,
    written_turn,
)
from agent_laws.trials.tool_shapes import tool_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from agent_laws.trials.sample_calls import SampleTurn
    from agent_parsers.authoring import Dialect
    from agent_parsers.engine.tables.modes import Mode
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

__all__ = ["KINDS", "Attack", "attacks"]

CUT: Final[tuple[Ended, ...]] = ("unknown", "length")
ANY: Final[tuple[Ended, ...]] = ("unknown", "stop", "length")
WHOLE: Final[tuple[Ended, ...]] = ("unknown", "stop")


class Attack(NamedTuple):
    """A text, and the calls it may make; an error or an answer is always allowed."""

    text: str
    """The text to read."""
    meant: tuple[Meant, ...] = ()
    """The calls that may be made, in this order; any of them may be left out."""
    tools: ToolSet | None = None
    """The tools that the parser knows."""
    ended: tuple[Ended, ...] = ANY
    """The values of ``ended`` with which the text is read."""
    raw: RawInput | None = None
    """Raw text as the last input, which may be cut if it is unknown how the text ended."""
    may_repair: bool = False
    """Whether another call may be made if it is reported as a repair and the text is not cut."""
    what: str = ""
    """What sets it apart from others of its kind."""


def attacks(
    dialect: Dialect, mode: Mode, step: int, kinds: Collection[str]
) -> Iterator[tuple[str, Attack]]:
    """Yield the attacks of some *kinds* on a *dialect*, at every *step*-th position of a text."""
    for kind in kinds:
        for attack in KINDS[kind](dialect, mode, step):
            yield kind, attack


def _positions(text: str, step: int) -> range:
    """Return every *step*-th position of *text*; where they begin differs from text to text."""
    return range(len(text) % step, len(text) + 1, step)


def _meant(dialect: Dialect, mode: Mode, text: str, tools: ToolSet | None) -> tuple[Meant, ...]:
    """Return the calls of *text*, a whole turn."""
    return tuple(calls_in(reading(dialect, mode, text, tools=tools, ended="stop")))


def prefixes(dialect: Dialect, mode: Mode, step: int) -> Iterator[Attack]:
    """Yield prefixes of turns, with tools of one shape after another, and of all at the seams."""
    for turn in sample_turns(dialect):
        known, raw = tool_sets(turn.calls), raw_input(dialect, turn.text)
        meant = {shape: _meant(dialect, mode, turn.text, tools) for shape, tools in known.items()}
        shapes = cycle(known)
        cuts = [(end, [next(shapes)]) for end in _positions(turn.text, step)]
        cuts += ((end, [*known]) for end in seams(turn))
        for end, chosen in cuts:
            text = turn.text[:end]
            begun = raw if raw is not None and raw.may_end(text, "unknown") else None
            for shape in chosen:
                yield Attack(text, meant[shape], known[shape], CUT, begun, what=shape)


def splices(dialect: Dialect, mode: Mode, step: int) -> Iterator[Attack]:
    """Yield prefixes of turns followed by another turn, as if the model started again."""
    is_text = isinstance(sample_action(dialect).tool_input, str)
    pool = (*TEXTS[:2], TEXTS[3]) if is_text else (OBJECTS[0], OBJECTS[2], OBJECTS[4])
    found = [written_turn(dialect, each, "I see.") for each in pool]
    turns = [turn for turn in found if turn is not None]
    for one in turns:
        raw = raw_input(dialect, one.text)
        for other in turns:
            if other is one:
                continue
            names = tool_sets(one.calls)["names"]
            meant = (
                *_meant(dialect, mode, one.text, names),
                *_meant(dialect, mode, other.text, names),
            )
            for end in _positions(one.text, step):
                text = one.text[:end] + "\n" * (end // step % 2) + other.text
                yield Attack(text, meant, names, WHOLE, raw, may_repair=True)


_MOST_PAIRS: Final = 60


def values(dialect: Dialect, mode: Mode, step: int) -> Iterator[Attack]:
    """Yield calls whose values contain markers of the dialect, or calls of any dialect."""
    is_text = isinstance(sample_action(dialect).tool_input, str)
    own = [marker.canonical.strip() for marker in markers(dialect)]
    held = [f"before {mark} after" for mark in own]
    pairs = [f"x{mark}{other}y" for mark in own for other in own]
    held += pairs[:: len(pairs) // _MOST_PAIRS + 1]
    held += [f"Write {call} here" for call in _calls_of_all()]
    held += _calls_of_all()
    for value in held:
        tool_input: Any = value if is_text else {"body": value, "to": "A"}
        turn = written_turn(dialect, tool_input)
        if turn is None:  # `render` refuses it; a model writes it all the same
            continue
        known = tool_sets(turn.calls)
        for shape in ("undeclared", "required", "defaults"):
            tools = known[shape]
            meant = _meant(dialect, mode, turn.text, tools)
            if not _is_whole(turn, meant):
                yield Attack(turn.text, _whole(turn), tools, WHOLE, may_repair=is_text)
                continue
            raw = raw_input(dialect, turn.text)
            yield Attack(turn.text, meant, tools, WHOLE, raw, may_repair=is_text)
            if not marker_in(dialect, value) or (is_text and raw is None):
                continue
            for end in _positions(turn.text, 10 * step):
                begun = raw if raw is not None and raw.may_end(turn.text[:end], "unknown") else None
                cut = Attack(turn.text[:end], meant, tools, CUT, begun, may_repair=True)
                yield cut._replace(what=shape)


def _is_whole(turn: SampleTurn, meant: tuple[Meant, ...]) -> bool:
    """Return whether the values are read as written, except for white space around them."""
    return len(meant) == 1 and any(
        _bare(meant[0].tool_input) == _bare(wanted.tool_input) for wanted in _whole(turn)
    )


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(part) for key, part in value.items()}
    return value.strip() if isinstance(value, str) else value


def _whole(turn: SampleTurn) -> tuple[Meant, ...]:
    """Return the readings that the call of a *turn* may have, such as a lone parameter."""
    (call,) = turn.calls
    alone = (Meant(call.tool, {"query": call.tool_input}),)
    return (Meant(call.tool, call.tool_input), *(alone * isinstance(call.tool_input, str)))


@cache
def _calls_of_all() -> list[str]:
    """Return a call as each dialect writes it."""
    from agent_parsers import get_dialect, list_dialects

    return list(dict.fromkeys(usual_turn(get_dialect(n), "lakes").text for n in list_dialects()))


def quoted(dialect: Dialect, mode: Mode, _step: int) -> Iterator[Attack]:
    """Yield quoted calls, and calls within reasoning."""
    for found in quotations(dialect, mode):
        yield Attack(found.text, found.meant, may_repair=found.may_repair)


_DENIALS: Final = (
    "~~{}~~", "{}?", "don't use {}", "do not use {}", "not {}", "I won't use {}", "never {}",
    "no {}", "{} (no!)", "{}, or rather not", "should I use {}?", "none (not {})", "{} or ping",
    "instead of {}", "`{}`? No",
)  # fmt: skip
_SENTENCES: Final = (
    "I will not run {}.", "{} is how I would do it, but I won't.", "Should I run {}?", "{}? No.",
    "Never do {} again.", "I ran {} before, and it failed.", "~~{}~~", "({} is wrong)",
    "For example {} would do.",
)  # fmt: skip
_PYTHON: Final = (
    ") if ok else ", ") and ", ") or ", ") + ", ") == ", ") for x in ", ")[0], ", ")("
)  # fmt: skip
"""Texts between two calls that make them something else than a plain list."""


def disowned(dialect: Dialect, mode: Mode, _step: int) -> Iterator[Attack]:
    """Yield calls that the text says are not made."""
    turn = usual_turn(dialect, "lakes")
    tool, text = turn.calls[0].tool, turn.text
    known = tool_sets(turn.calls)
    if text.count(tool) == 1:
        for denial in _DENIALS:
            said = denial.format(tool)
            for tools in known.values():
                # The whole phrase may be read as a name; checks of tool names come later.
                meant = _meant(dialect, mode, text, tools)
                may = tuple(Meant(said, call.tool_input) for call in meant)
                yield Attack(text.replace(tool, said), may, tools)
    line = " ".join(text.split())
    if not marker_in(dialect, line) and "<|" not in line:  # a header may have marks of its own
        for sentence in _SENTENCES:
            for tools in known.values():
                yield Attack(sentence.format(line), (), tools)
    two = written_turn(dialect, {"query": "lakes"}, "", "", {"query": "rivers"})
    if two is not None and len(two.calls) == 2 and f"{tool}(" in two.text:
        for between in _PYTHON:
            yield Attack(re.sub(r"\)[,\n]\s*", between, two.text))


def keys(dialect: Dialect, mode: Mode, _step: int) -> Iterator[Attack]:
    """Yield calls with a duplicate key."""
    for found in double_keys(dialect, mode):
        yield Attack(found.text, (), found.tools, WHOLE)


def enclosed(dialect: Dialect, _mode: Mode, step: int) -> Iterator[Attack]:
    """Yield calls within marks of thoughts and quotations, known, respelt and made up."""
    for found in enclosed_calls(dialect)[::step]:
        yield Attack(found.text, found.meant, found.tools, what=found.kind)


def beside(dialect: Dialect, mode: Mode, _step: int) -> Iterator[Attack]:
    """Yield calls with a member or more JSON beside the arguments, or a second name."""
    for found in beside_calls(dialect, mode):
        may_repair = found.may_repair
        yield Attack(found.text, (), found.tools, WHOLE, may_repair=may_repair, what=found.kind)


def laxer(dialect: Dialect, mode: Mode, step: int) -> Iterator[Attack]:
    """Yield turns without a call in lenient mode, for strict mode."""
    for found in [*doubtful_turns(dialect)][::step] if mode == "strict" else ():
        if not calls_in(reading(dialect, "lenient", found.text, tools=found.tools)):
            yield Attack(found.text, (), found.tools, ("unknown",))


_EDITED: Final = {"city": "Vaduz", "seats": 4711, "is_test": True, "via": ["Olten", "Bern"]}
_EDITS: Final = 200


def edits(dialect: Dialect, mode: Mode, step: int) -> Iterator[Attack]:
    """Yield calls with random edits outside their values, for tools with a schema."""
    is_text = isinstance(sample_action(dialect).tool_input, str)
    found = [written_turn(dialect, "Vaduz" if is_text else _EDITED, "I see.")]
    if dialect.several:
        found.append(written_turn(dialect, _EDITED, "", "One moment.", {"city": "Bern"}))
    pool = [*"{}[]()\",:'\\<>=/|`*~-", "\n", "null", "```"]
    pool += (marker.canonical for marker in markers(dialect))
    for turn in found:
        if turn is None:
            continue
        known, raw = tool_sets(turn.calls), raw_input(dialect, turn.text)
        shapes = ("required", "defaults")
        meant = {shape: _meant(dialect, mode, turn.text, known[shape]) for shape in shapes}
        random = Random(f"{dialect.name} {mode}")
        free = _free(turn.text)
        for at in range(_EDITS // step + 1):
            text = _edited(turn.text, free, pool, random)
            if text:
                shape = shapes[at % 2]
                edited = Attack(text, meant[shape], known[shape], WHOLE, raw, may_repair=True)
                yield edited._replace(what=shape)


def _free(text: str) -> list[bool]:
    """Return for each character whether it may be edited: it is not next to a value."""
    free = [True] * len(text)
    for found in re.finditer(r"Vaduz|Olten.*?Bern|Bern|4711|[Tt]rue", text, re.DOTALL):
        start, end = max(found.start() - 1, 0), min(found.end() + 2, len(text))
        free[start:end] = [False] * (end - start)
    return free


def _edited(text: str, free: list[bool], pool: list[str], random: Random) -> str:
    """Return *text* with one or two edits; ``""`` if a value would be touched."""
    for _ in range(random.choice([1, 1, 2])):
        at, size = random.randrange(len(free)), random.choice([1, 1, 2, 3, 5, 8, 13])
        end = min(at + size, len(free))
        kind = random.choice(["leave out", "insert", "replace", "twice", "move"])
        if kind == "insert":
            end = at
        if not all(free[at : end + 1]):
            return ""
        part, mark = text[at:end], random.choice(pool)
        new = {"leave out": "", "insert": mark, "replace": mark, "twice": part + part, "move": ""}
        to = random.randrange(len(free))
        edited = text[:at] + new[kind] + text[end:]
        # Text inserted behind "</" is the same as text inserted in front, at the end of a value.
        first, last = _common(text[::-1], edited[::-1]), _common(text, edited)
        if not all(free[len(text) - first : last + 1]):
            return ""
        text = edited
        free = free[:at] + [True] * len(new[kind]) + free[end:]
        if kind == "move" and to < len(free) and free[to]:
            text = text[:to] + part + text[to:]
            free = free[:to] + [True] * len(part) + free[to:]
    return text


def _common(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


KINDS: Final[dict[str, Callable[[Dialect, Mode, int], Iterator[Attack]]]] = {
    "prefix": prefixes,
    "splice": splices,
    "value": values,
    "quoted": quoted,
    "disowned": disowned,
    "keys": keys,
    "enclosed": enclosed,
    "beside": beside,
    "laxer": laxer,
    "edit": edits,
}
"""The functions that make the attacks of each kind."""
