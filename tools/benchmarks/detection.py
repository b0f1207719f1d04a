"""Shows what `detect` finds in texts of known dialects: ``python tools/benchmarks/detection.py``.

The texts of a dialect are its sample, the cases in ``tests/cases``, turns that it writes, drawn by
the strategies of its tests, and the replies of ``wild.jsonl`` that were to be in it. Each is read
in its own dialect and in the one that was found:

right
    its own dialect
relative
    another, which returns the same actions or answer, or an error too
framed
    another, which takes the line breaks at both ends of a value for marks, as it writes them itself
ambiguous
    several; an error that names two
none
    no dialect
wrong
    another dialect, which returns something else
unmarked
    another dialect too, but the text has no sign of its own, which takes it for plain text

``--show`` prints what is wrong or unmarked, and ``--tools`` names the tools of the wild replies.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings

from agent_laws.trials.strategies import turns
from agent_parsers import AgentFinish, OutputParserException, get_dialect, get_parser, list_dialects
from agent_parsers.actions.agent import as_text
from agent_parsers.detecting.trial import try_reply
from agent_parsers.toolset import ToolSet
from agent_runs import detect

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
CASES: Final = ROOT / "tests" / "cases"
WILD: Final = ROOT.parent / "shared" / "corpus" / "wild.jsonl"
COLUMNS: Final = ("right", "relative", "framed", "ambiguous", "none", "wrong", "unmarked")
DRAWN: Final = 30
"""How many turns of each dialect are drawn."""
VISIBLE: Final = str.maketrans({"␣": " ", "␉": "\t", "␍": "\r"})


class Reply(NamedTuple):
    """A text, and the dialect it is written in."""

    dialect: str
    kind: str
    text: str
    tools: tuple[str, ...] | None = None


def texts_of(name: str, drawn: int = DRAWN) -> Iterator[Reply]:
    """Yield the texts of a dialect, but those in the wild."""
    yield Reply(name, "sample", get_dialect(name).sample)
    path = CASES / f"{name}.txt"
    blocks = re.split(r"(?m)^\.\n", path.read_text(encoding="utf-8")) if path.is_file() else []
    for text in dict.fromkeys(blocks[1::3]):
        yield Reply(name, "case", text.removesuffix("\n").translate(VISIBLE))
    for text in drawn_turns(name, drawn) if drawn else ():
        yield Reply(name, "drawn", text)


def drawn_turns(name: str, number: int) -> list[str]:
    """Return turns that a dialect writes, the same in every run."""
    found: dict[str, None] = {}

    @settings(
        max_examples=number, derandomize=True, deadline=None, database=None,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(turns(get_dialect(name)))
    def draw(turn: Any) -> None:
        first = turn.result[0] if isinstance(turn.result, list) else turn.result
        found[first.log] = None

    draw()
    return [*found]


def wild_texts(path: Path, *, with_tools: bool) -> Iterator[Reply]:
    """Yield the replies of the file whose format is a dialect."""
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        try:
            name = get_dialect(case["format"]).name
        except ValueError:
            continue  # messages
        if "text" in case:
            yield Reply(name, "wild", case["text"], tuple(case["tools"]) if with_tools else None)


@cache
def parser_of(name: str, tools: tuple[str, ...] | None) -> Any:
    """Return the lenient parser of a dialect."""
    return get_parser(name, tools=tools)


def outcome(name: str, reply: Reply) -> tuple[Any, ...]:
    """Return what a dialect reads in a reply, so that two can be compared."""
    try:
        result = parser_of(name, reply.tools).parse(reply.text)
    except OutputParserException:
        return ("error",)
    if isinstance(result, AgentFinish):
        return ("answer", as_text(result.return_values["output"]).strip())
    actions = result if isinstance(result, list) else [result]
    return ("actions", *((each.tool, comparable(each.tool_input)) for each in actions))


def comparable(tool_input: Any) -> str:
    """Return an input as text; an object is equal to its JSON."""
    if isinstance(tool_input, str):
        try:
            tool_input = json.loads(tool_input)
        except ValueError:
            return str(tool_input).strip()
    return json.dumps(tool_input, sort_keys=True, default=str)


def judged(reply: Reply) -> tuple[str, str]:
    """Return the column that a reply is counted in, and the dialect that was found."""
    found = detect(reply.text, tools=reply.tools)
    if not found.candidates:
        return "none", ""
    if found.is_ambiguous:
        return "ambiguous", ""
    if found.dialect == reply.dialect:
        return "right", found.dialect
    if outcome(found.dialect, reply) == outcome(reply.dialect, reply):
        return "relative", found.dialect
    tools = None if reply.tools is None else ToolSet(reply.tools)
    own = try_reply(get_dialect(reply.dialect), reply.text, tools)
    if try_reply(get_dialect(found.dialect), reply.text, tools).frames(own):
        return "framed", found.dialect
    return "wrong" if own.speaks else "unmarked", found.dialect


def table(counts: dict[str, Counter[str]]) -> str:
    """Return the counts as text in columns, with their sum."""
    counts = {**counts, "all": sum(counts.values(), Counter())}
    width = max(map(len, counts))
    lines = ["  ".join((" " * width, *(f"{column:>9}" for column in COLUMNS)))]
    for name, each in counts.items():
        lines.append("  ".join((f"{name:{width}}", *(f"{each[column]:9}" for column in COLUMNS))))
    return "\n".join(lines)


def main() -> None:
    """Print the tables: by dialect, by kind of text, and what was found instead."""
    arguments = argparse.ArgumentParser(description="Shows what detect finds in known dialects.")
    arguments.add_argument("dialects", nargs="*", help="only these")
    arguments.add_argument("--wild", type=Path, default=WILD, help="the .jsonl file")
    arguments.add_argument("--drawn", type=int, default=DRAWN, help="turns drawn of each dialect")
    arguments.add_argument("--tools", action="store_true", help="name the tools of wild replies")
    arguments.add_argument("--show", action="store_true", help="print what is wrong or unmarked")
    options = arguments.parse_args()
    names = options.dialects or list_dialects()
    replies = [reply for name in names for reply in texts_of(name, options.drawn)]
    if options.wild.is_file():
        wild = wild_texts(options.wild, with_tools=options.tools)
        replies += [reply for reply in wild if reply.dialect in names]
    by_dialect: defaultdict[str, Counter[str]] = defaultdict(Counter)
    by_kind: defaultdict[str, Counter[str]] = defaultdict(Counter)
    confused: Counter[tuple[str, str, str]] = Counter()
    for reply in replies:
        column, found = judged(reply)
        by_dialect[reply.dialect][column] += 1
        by_kind[reply.kind][column] += 1
        if column not in ("right", "none", "ambiguous"):
            confused[reply.dialect, found, column] += 1
        if options.show and column in ("wrong", "unmarked"):
            print(f"{column}: {reply.dialect} is found to be {found}: {reply.text!r}")
    print(table(by_dialect), table(by_kind), sep="\n\n", end="\n\n")
    for (own, found, column), number in confused.most_common():
        print(f"{own} as {found}: {number} ({column})")


if __name__ == "__main__":
    main()
