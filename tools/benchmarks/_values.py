"""Rows of ``make bench`` about JSON, XML and lists, about tables, and about fresh processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import output_parsers as op
from agent_parsers import AgentFinish, OutputParserException, get_parser
from tools.benchmarks._peers import (
    CREWAI,
    JSON_REPAIR,
    LANGCHAIN,
    LANGCHAIN_CORE,
    LANGCHAIN_JSON,
    LLAMAINDEX,
    Fresh,
    beside,
    tried,
)
from tools.benchmarks._timing import Row, gain, no_cells, two_times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tools.benchmarks._timing import Call

SHORT: Final = '{"name": "oldest bridge", "page": 3}'
FENCED: Final = "Here is what you asked for:\n```json\n%s\n```"
XML: Final = "<films><film><name>Metropolis</name><year>1927</year></film><film>M</film></films>"
LISTS: Final = {
    "CommaSeparatedListOutputParser": "red, green, blue, dark grey, light grey",
    "NumberedListOutputParser": "Some colours:\n\n1. red\n2. green\n3. blue\n4. dark grey",
    "MarkdownListOutputParser": "Some colours:\n\n- red\n- green\n- blue\n- dark grey",
}
RECORD: Final = '{"id": 7, "name": "bridge 7", "m": 8.75, "tags": ["a", "b"]}'
SENTENCE: Final = "The bridge was built of oak. "
DEEP: Final = '{"kind": "room", "inside": '

ROWS: Final = 4_096
ACTION: Final = "I need its age.\nAction: search\nAction Input: "
CALL: Final = '<tool_call>\n{"name": "search", "arguments": {"query": "bridge %d"}}\n</tool_call>'
TABLES: Final = {
    "text": ("react", ACTION + "oldest bridge in Bern %d"),
    "text, 5 % odd": ("react", ACTION + "oldest bridge in Bern %d"),
    "JSON": ("react", ACTION + '{"query": "oldest bridge in Bern %d"}'),
    "answers": ("react", "I now know the final answer\nFinal Answer: it is the bridge of %d"),
    "calls of `hermes`": ("hermes", CALL),
    "answers of `hermes`": ("hermes", "It is the bridge that was built in %d, and burnt in 1460."),
}
ODD: Final = (
    "**Action:** search\nAction Input: old bridge %d",
    "no label %d",
    "Action: search\nAction Input: old bridge %d\nObservation: 1489",
)
IN_FILE, SPIN = 100_000, 4_000_000
TWO_CORES: Final = 1.8
"""A machine with two cores to spare is so much faster with two plain processes."""

PYDANTIC: Final = "from pydantic import BaseModel\nclass A(BaseModel):\n    a: int\n"
PARSER: Final = "from agent_parsers import ReActSingleInputOutputParser\n"
DETECT: Final = f"from agent_runs import detect\ndetect({ACTION + 'oldest bridge in Bern'!r})\n"
IMPORTS: Final = {
    LANGCHAIN: "from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser",
    LLAMAINDEX: "from llama_index.core.agent.react.output_parser import ReActOutputParser",
    CREWAI: "from crewai.agents.parser import parse",
}
FIRST: Final = """
import time
from agent_parsers import StreamParser, get_dialect, get_parser
get_parser("react").parse("Final Answer: 1489")
def stream():
    began = time.process_time()
    parser = StreamParser(get_dialect("react"))
    for at in range(0, len(text), 4):
        parser.feed(text[at : at + 4])
    parser.close()
    return time.process_time() - began
print(stream() - stream())
"""


# -- one value -------------------------------------------------------------------------------------


def values() -> Iterator[Row]:
    lenient = op.JsonOutputParser(lenient=True).parse
    for title, value, aim in (("", SHORT, 6), (", a comma too many", f"{SHORT[:-1]},}}", 10)):
        yield beside(
            f"a short object in a fence behind prose, lenient{title}",
            "`json.loads` of it",
            partial(lenient, FENCED % value),
            partial(json.loads, SHORT),
            aim=aim,
        )
    for size in (1_000, 1_000_000):
        for shape, text in _shapes(size):
            fenced = f"```json\n{text}\n```"
            in_prose = f"Here it is:\n\n{fenced}\n\nShall I go on?"
            for title, ours, aim in (
                ("in a fence", partial(op.parse_json_markdown, fenced), 1.5),
                ("behind prose", partial(op.parse_json_markdown, in_prose), None),
                ("behind prose, lenient", partial(op.repair_json, in_prose), None),
            ):
                yield beside(
                    f"{shape} of {size // 1_000:,} KB {title}",
                    "`json.loads` of it",
                    ours,
                    partial(json.loads, text),
                    aim=aim,
                )
    for shape, text in _shapes(10_000):
        in_prose = f"Here it is:\n\n```json\n{text}\n```\n\nShall I go on?"
        yield LANGCHAIN_JSON.row(
            f"{shape} of 10 KB behind prose",
            partial(op.parse_json_markdown, in_prose),
            lambda them, text=in_prose: partial(them.parse_json_markdown, text),
        )
        yield JSON_REPAIR.row(
            f"{shape} of 10 KB behind prose, lenient",
            partial(op.repair_json, in_prose),
            lambda them, text=in_prose: partial(them.loads, text),
        )
    yield from _lists_and_xml()


def _shapes(size: int) -> Iterator[tuple[str, str]]:
    records = f"[{', '.join([RECORD] * (size // len(RECORD)))}]"
    yield "small objects", records
    yield "one long text", json.dumps({"text": SENTENCE * (size // len(SENTENCE))})
    yield "depth 50", DEEP * 50 + records + "}" * 50


def _lists_and_xml() -> Iterator[Row]:
    chunks = [XML[at : at + 4] for at in range(0, len(XML), 4)]

    def stream(parser: Any) -> Callable[[], object]:
        return lambda: list(parser.transform(iter(chunks)))

    for kind in ("defusedxml", "xml"):
        ours = op.XMLOutputParser(parser=kind)
        yield LANGCHAIN_CORE.row(
            f"`XMLOutputParser`, both with `{kind}`",
            partial(ours.parse, XML),
            lambda them, kind=kind: partial(them.XMLOutputParser(parser=kind).parse, XML),
            aim=0.6,
        )
        yield LANGCHAIN_CORE.row(
            f"`XMLOutputParser`, both with `{kind}`, a stream",
            stream(ours),
            lambda them, kind=kind: stream(them.XMLOutputParser(parser=kind)),
            aim=0.6,
        )
    for name, text in LISTS.items():
        yield LANGCHAIN_CORE.row(
            f"`{name}`",
            partial(getattr(op, name)().parse, text),
            lambda them, name=name, text=text: partial(getattr(them, name)().parse, text),
            aim=0.3,
        )


# -- tables ----------------------------------------------------------------------------------------


def tables() -> Iterator[Row]:
    if find_spec("pyarrow") is None:
        yield Row("tables", "", (), missing="pyarrow")
        return
    for kind, (dialect, template) in TABLES.items():
        texts = [template % row for row in range(ROWS)]
        if "odd" in kind:
            texts[::20] = [ODD[row % 3] % row for row in range(0, ROWS, 20)]
        for lenient in (False, True):
            title = f"{kind}, {'lenient' if lenient else 'strict'}"
            parse = get_parser(dialect, lenient=lenient).parse
            parse_table = _table(dialect, texts, lenient=lenient)
            if kind == "answers of `hermes`":
                loop = partial(_loop, parse, texts)
                yield beside(title, "a loop of `parse`", parse_table, loop, aim=1, per=ROWS)
            else:
                yield beside(
                    f"{title}, times as fast",
                    "a loop of `parse`, results in columns",
                    parse_table,
                    partial(_in_columns, parse, texts),
                    aim=None if "odd" in kind else 1,
                    per=ROWS,
                    figure=gain,
                    more_is_better=True,
                )
    yield Row(
        f"a file of {IN_FILE:,} rows in two processes, times as fast, by the clock",
        "one process",
        (partial(_file, 2), partial(_file, 1), partial(_spin, 2), partial(_spin, 1)),
        1.7,
        figure=lambda two, one, *_plain: one / two,
        more_is_better=True,
        steady=lambda _two, _one, plain_two, plain_one: plain_one / plain_two > TWO_CORES,
        weight=8,
    )


def _table(dialect: str, texts: list[str], *, lenient: bool) -> Call:
    parser = import_module("agent_runs.bulk").TableParser(dialect, lenient=lenient)
    return partial(parser, import_module("pyarrow").table({"text": texts}))


def _loop(parse: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        tried(parse, text)


def _in_columns(parse: Callable[[str], Any], texts: list[str]) -> Any:
    """Call *parse* for each text, and put its results into columns."""
    columns: dict[str, list[str | None]] = {"tool": [], "input": [], "answer": [], "error": []}
    for text in texts:
        row = dict.fromkeys(columns)
        try:
            result = parse(text)
        except OutputParserException as error:
            row["error"] = error.reason
        else:
            if isinstance(result, AgentFinish):
                row["answer"] = result.return_values["output"]
            else:
                action = result[0] if isinstance(result, list) else result
                row["tool"] = action.tool
                row["input"] = json.dumps(action.tool_input, ensure_ascii=False)
        for name, column in columns.items():
            column.append(row[name])
    pa = import_module("pyarrow")
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return a folder with a file of replies."""
    folder = TemporaryDirectory()
    pa = import_module("pyarrow")
    texts = [TABLES["text"][1] % row for row in range(IN_FILE)]
    import_module("pyarrow.parquet").write_table(
        pa.table({"text": texts}), Path(folder.name) / "in.parquet", row_group_size=IN_FILE // 16
    )
    return folder


def _file(jobs: int) -> float:
    """Return the seconds by the clock in which so many processes parse the file."""
    command = [
        "-m",
        "agent_parsers",
        "reply",
        "in.parquet",
        "--column",
        "text",
        "-o",
        "out.parquet",
    ]
    command += ["--dialect", "react"]
    return _clocked([[*command, "--jobs", str(jobs)]])


def _spin(jobs: int) -> float:
    """Return the seconds in which so many processes do the same that needs nothing but a core."""
    return _clocked([["-c", f"for n in range({SPIN // jobs}): str(n)"]] * jobs)


def _clocked(commands: Sequence[Sequence[str]]) -> float:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    start = time.perf_counter()
    running = [
        subprocess.Popen([sys.executable, *each], cwd=_folder().name, env=env) for each in commands
    ]
    for process in running:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, process.args)
    return time.perf_counter() - start


# -- fresh processes -------------------------------------------------------------------------------


def processes() -> Iterator[Row]:
    bare, pydantic = Fresh("pass"), Fresh(PYDANTIC)
    parser, detect = Fresh(PYDANTIC + PARSER), Fresh(PYDANTIC + DETECT)
    yield Row(
        "import of a parser and pydantic with a model, ms beyond",
        "pydantic with a model",
        (parser, pydantic),
        15,
        figure=lambda ours, theirs: (ours - theirs) * 1e3,
        weight=4,
    )
    yield Row(
        "the first `detect`, beyond the import of pydantic",
        "that, beyond Python",
        (detect, pydantic, bare),
        1.5,
        figure=lambda ours, theirs, bare: (ours - theirs) / (theirs - bare),
        weight=4,
    )
    for peer, statement in IMPORTS.items():
        there = () if peer.is_missing else (Fresh(PARSER), Fresh(statement), bare)
        yield Row(
            "import of a ReAct parser, beyond Python",
            peer.name,
            there,
            figure=lambda ours, theirs, bare: (ours - bare) / (theirs - bare),
            cells=lambda ours, theirs, bare: two_times(ours - bare, theirs - bare),
            weight=4,
            missing=peer.package if peer.is_missing else "",
        )
    for size in (100, 2_000):
        text = f"{ACTION}{'Bern ' * (size // 5)}"
        yield Row(
            f"the first stream of {size:,} characters, ms beyond the second",
            "",
            (Fresh(f"text = {text!r}\n{FIRST}"),),
            figure=lambda seconds: seconds * 1e3,
            cells=no_cells,
            weight=2,
        )
