"""Reads the texts of `differ.py` with the tree that is first on the path, a JSON line per reading.

This file is run with two trees, one of which may be old, so it uses only the public names that both
have. It takes the paths of files with texts from standard input, one a line, and ends the readings
of each file with an empty line.

Each text is parsed, read, and streamed in both modes. Which tools are known, how the text ended and
how it is cut depends on the number of the text, so that all combinations occur.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import agent_parsers
from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    Repair,
    StepFailed,
    ToolSet,
    ToolSpec,
    Transcript,
    TranscriptParser,
    get_parser,
    merge_events,
    parse_record,
    parse_transcripts,
)

try:
    import pyarrow as pa
except ImportError:  # then no tables are read
    pa = None

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agent_parsers import Event, TranscriptStep
    from outputs import Ended

Said: TypeAlias = dict[str, Any]
"""What a reading says, by field."""
Known: TypeAlias = Literal["none", "names", "required", "defaults", "no parameters"]
"""What is known of the tools."""

MODES: Final = ("strict", "lenient")
ENDED: Final[tuple[Ended, ...]] = ("unknown", "stop", "length")
KNOWN: Final[tuple[Known, ...]] = ("none", "names", "required", "defaults", "no parameters")
CHUNKS: Final = (0, 1, 4, 7)
"""Sizes of chunks; 0 is the whole text."""
_ROWS: Final = 50
"""How many texts are in a table."""


class Text(NamedTuple):
    """A text to read."""

    number: int
    """Its place in the file."""
    dialect: str
    """The dialect that it is read in."""
    kind: str
    """``"run"`` if it is a transcript, or how the turn was made."""
    text: str
    """The text."""
    tools: str
    """The parameters of the tools that it may call, by name, as JSON."""

    def turned(self, by: int, options: tuple[Any, ...], slower: int = 1) -> Any:
        """Return one of some *options*, another for the next text."""
        return options[(self.number // slower + by) % len(options)]


# -- what a reading says -----------------------------------------------------------------------


def said_by(read: Callable[[], Said]) -> Said:
    """Return what *read* says: a result, an error of the model, or a crash."""
    try:
        return read()
    except OutputParserException as error:
        return error_fields(error)
    except Exception as error:  # noqa: BLE001 - no text may lead to another exception
        return {"crash": f"{type(error).__name__}: {error}"}


def error_fields(error: OutputParserException) -> Said:
    """Return the fields of an *error* of the model."""
    return {
        "outcome": f"{type(error).__name__} {error.problem}: {error.reason}",
        "span": error.span,
        "observation": error.observation,
    }


def shown(value: Any) -> str:
    """Return a result or an event as a short text that has all of it."""
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, AgentAction):
        call_id = getattr(value, "tool_call_id", None)
        kind = type(value).__name__
        return f"{kind}({value.tool!r}, {value.tool_input!r}, {value.log!r}, id={call_id!r})"
    if isinstance(value, AgentFinish):
        return f"AgentFinish({value.return_values!r}, {value.log!r})"
    for field in ("action", "finish"):
        if hasattr(value, field):  # an event at the end of a call or an answer
            return f"{type(value).__name__}({shown(getattr(value, field))}, {value.span})"
    if isinstance(value, StepFailed):
        return f"StepFailed({error_fields(value.error)}, {value.span})"
    return repr(value)


def event_fields(events: Iterable[Event]) -> Said:
    """Return repairs, and the other events, both as they follow each other."""
    merged = merge_events(events)
    return {
        "repairs": [repair_fields(event) for event in merged if isinstance(event, Repair)],
        "events": [shown(event) for event in merged if not isinstance(event, Repair)],
    }


def repair_fields(repair: Repair) -> list[Any]:
    return [repair.kind, repair.span, repair.message]


# -- tools and parsers -------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def tool_set(known: Known, described: str) -> ToolSet | None:
    """Return the tools as far as they are *known*, from their parameters as JSON."""
    if known == "none":
        return None
    tools: dict[str, dict[str, Any]] = json.loads(described)
    if known == "names":
        return ToolSet([*tools, f"{next(iter(tools))}_all"])
    return ToolSet([ToolSpec(name, "", schema(known, tools[name])) for name in tools])


def schema(known: Known, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool with these *parameters*, each of which has a default."""
    if known == "no parameters":
        return {"type": "object", "properties": {}}
    if known == "defaults":
        return {"type": "object", "properties": parameters, "required": []}
    typed = {
        name: {key: value for key, value in each.items() if key != "default"}
        for name, each in parameters.items()
    }
    return {"type": "object", "properties": typed, "required": [*typed]}


@lru_cache(maxsize=2048)
def parser_of(dialect: str, mode: str, known: Known, described: str) -> Any:
    return get_parser(dialect, lenient=mode == "lenient", tools=tool_set(known, described))


# -- turns -------------------------------------------------------------------------------------


def turn_readings(text: Text) -> Iterator[Said]:
    """Yield what is read of a turn, parsed, read, and streamed, in both modes."""
    for mode in MODES:
        for by, way in enumerate((parsed, whole, streamed)):
            known, ended = text.turned(by, KNOWN), text.turned(by, ENDED, len(KNOWN))
            size = text.turned(by, CHUNKS, len(KNOWN) * len(ENDED)) if way is streamed else 0
            how = {"way": way.__name__, "mode": mode, "tools": known, "ended": ended, "chunk": size}

            def read() -> Said:
                parser = parser_of(text.dialect, mode, known, text.tools)  # noqa: B023 - read now
                return way(parser, text.text, ended, size)  # noqa: B023

            yield {**how, **said_by(read)}
    if text.number % 3 == 0:  # outputs in a record have a reader of their own
        mode, known = text.turned(0, MODES, 3), text.turned(0, KNOWN, 3)
        said = said_by(lambda: recorded(text, mode, known))
        yield {"way": "recorded", "mode": mode, "tools": known, **said}


def parsed(parser: Any, text: str, ended: Ended, _size: int) -> Said:
    return {"outcome": shown(parser.parse(text, ended=ended))}


def whole(parser: Any, text: str, ended: Ended, _size: int) -> Said:
    turn = parser.read(text, ended=ended)
    told = {"outcome": shown(turn.result), "thought": turn.thought, "content": turn.content}
    return {**told, **event_fields(turn.events)}


def streamed(parser: Any, text: str, ended: Ended, size: int) -> Said:
    stream, events = parser.stream_parser(), []
    step = size or max(len(text), 1)
    try:
        for at in range(0, len(text), step):
            events += stream.feed(text[at : at + step])
        events += stream.close(ended=ended)
    except OutputParserException as error:
        return {**error_fields(error), **event_fields([*events, *stream.last_events])}
    return {"outcome": shown(stream.result), **event_fields(events)}


def recorded(text: Text, mode: str, known: Known) -> Said:
    steps = [{"output": text.text, "observation": "217 m"}]
    tools = tool_set(known, text.tools)
    record = {"format": text.dialect, "steps": steps}
    return run_fields([parse_record(record, lenient=mode == "lenient", tools=tools)])


# -- transcripts -------------------------------------------------------------------------------


def run_readings(text: Text) -> Iterator[Said]:
    """Yield what is read of a transcript, whole and in chunks, without tools and with some."""
    for known in ("none", text.turned(0, KNOWN[1:])):
        for size in (0, text.turned(0, CHUNKS[1:])):
            said = said_by(lambda: run_fields(runs_in(text, known, size)))  # noqa: B023 - read now
            yield {"way": "transcript", "tools": known, "chunk": size, **said}


def runs_in(text: Text, known: Known, size: int) -> list[Transcript]:
    tools = tool_set(known, text.tools)
    if not size:
        return parse_transcripts(text.text, dialect=text.dialect, tools=tools)
    parser = TranscriptParser(text.dialect, tools=tools)
    for at in range(0, len(text.text), size):
        parser.feed(text.text[at : at + size])
    parser.close()
    return parser.runs


def run_fields(runs: list[Transcript]) -> Said:
    steps = [step_fields(step) for run in runs for step in run.all_steps]
    heads = [[run.preamble, run.question, len(run.all_steps)] for run in runs]
    repairs = [repair_fields(repair) for run in runs for repair in run.repairs]
    return {"outcome": f"runs {heads}", "steps": steps, "repairs": repairs}


def step_fields(step: TranscriptStep) -> str:
    spans = (step.thought_span, step.action_span, step.observation_span)
    error = "" if step.error is None else error_fields(step.error)
    return f"{step.thought!r} {shown(step.action)} {step.observation!r} {spans} {error}"


# -- tables ------------------------------------------------------------------------------------


def row_readings(texts: list[Text]) -> Iterator[tuple[int, Said]]:
    """Yield the number of each of some turns of one dialect, and its row of a table."""
    if pa is None or not texts:
        return
    # In an old tree; `agent_runs` would be that of the new one, if it is installed.
    old = Path(agent_parsers.__file__).parent / "bulk"
    bulk = import_module("agent_parsers.bulk" if old.exists() else "agent_runs.bulk")
    tools: dict[str, Any] = {}
    for text in texts:
        tools = json.loads(text.tools) | tools
    fields = [field.name for field in bulk.TURN_FIELDS]
    column = pa.table({"text": pa.array([text.text for text in texts], pa.string())})
    for mode in MODES:
        known = KNOWN[texts[0].number // _ROWS % len(KNOWN)]

        def rows() -> Said:
            parser = bulk.TableParser(
                texts[0].dialect,
                lenient=mode == "lenient",  # noqa: B023 - read now
                tools=tool_set(known, json.dumps(tools)),  # noqa: B023
            )
            return {"rows": parser(column).select(fields).to_pylist()}

        said = said_by(rows)
        for place, text in enumerate(texts):
            row = {"row": repr(said["rows"][place])} if "rows" in said else said
            yield text.number, {"way": "table", "mode": mode, "tools": known, **row}


# -- files -------------------------------------------------------------------------------------


def readings(texts: Iterable[Text]) -> Iterator[Said]:
    """Yield all readings of *texts* of one dialect, each with the number of its text."""
    table: list[Text] = []
    for text in texts:
        read = run_readings if text.kind == "run" else turn_readings
        yield from ({"number": text.number, **said} for said in read(text))
        if text.kind != "run" and is_encodable(text.text):
            table.append(text)
        if len(table) == _ROWS:
            yield from ({"number": number, **said} for number, said in row_readings(table))
            table = []
    yield from ({"number": number, **said} for number, said in row_readings(table))


def is_encodable(text: str) -> bool:
    """Return whether *text* can be in a table: it has no half of a surrogate pair."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def main() -> None:
    """Read the files whose paths are given, with the tree that the first argument names."""
    root = Path(sys.argv[1]).resolve()
    if not Path(agent_parsers.__file__).resolve().is_relative_to(root):
        sys.exit(f"expected to read with {root}, found {agent_parsers.__file__}")
    for path in sys.stdin:
        with Path(path.removesuffix("\n")).open(encoding="utf-8") as lines:
            texts = (Text(number, *json.loads(line)) for number, line in enumerate(lines))
            for line in chain(map(json.dumps, readings(texts)), [""]):
                print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
