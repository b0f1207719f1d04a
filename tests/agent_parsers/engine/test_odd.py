"""Repaired and refused turns that need no stream agree with one."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import get_dialect, get_parser, list_dialects
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.whole import whole_reader
from output_parsers import OutputParserException

from ...helpers.effort import THOROUGH

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode
    from outputs.messages.ended import Ended

THOUGHT = "Thought: I need it.\n"
NEED_NO_STREAM: list[tuple[str, str]] = [
    ("react", "I do not know yet, so let me look it up."),
    ("react", "one\n\n`two`"),
    ("react", f"{THOUGHT}Thought: And again."),
    ("react", f"{THOUGHT}Action: search"),
    ("react", f"{THOUGHT}Action: \n"),
    ("react", f"{THOUGHT}Action: None"),
    ("react", f"{THOUGHT}**Action:** search\n**Action Input:** Lake Thun"),
    ("react", f"## {THOUGHT}## Action: search\n## Action Input: Lake Thun"),
    ("react", f"{THOUGHT}action: search\nACTION INPUT: Lake Thun"),
    ("react", f"{THOUGHT}**Final Answer:** It is **217 m** deep."),
    ("react", f'{THOUGHT}**Action:** search\n**Action Input:** {{"query": "a,]", "page": [3,],}}'),
    ("react", f'{THOUGHT}Action: search\nAction Input: ```json\n{{"query": "a", "page": 3,}}\n```'),
    ("glm47", "<tool_call>search<arg_key>q</arg_key><arg_value>[1,]</arg_value></tool_call>"),
    ("react_chinese", "我不知道。"),
    ("hermes", '<tool_call>\n{"name": "go", "arguments": {"q": "a,]", "l": [1, ],}}\n</tool_call>'),
    ("hermes", 'A "b.\n<tool_call>\n{"name": "search", "arguments": {"q": 1 ,}}\n</tool_call>'),
    ("minimax_m1", '<tool_calls>\n{"name": "search", "arguments": {"q": 1,}}\n</tool_calls>'),
]  # fmt: skip
NEED_A_STREAM = [
    ("react", f"{THOUGHT}- **Action:** search\nAction Input: Lake Thun"),
    ("react", f"{THOUGHT}Action: search\nAction Input: see\n## Action: y"),
    ("react", f"{THOUGHT}**Action:** search\n**Observation:** x"),
    ("react", f"{THOUGHT}Action: search\nObs"),
    ("react", f'{THOUGHT}Action: search("x" "y")'),
    ("hermes", '<tool_call>\n{"name": "search", "arguments": {,}}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": "search", "arguments": {"q": 1,,}}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": "search", "arguments": {"q": 1,}}'),
    ("mistral_v11", '[TOOL_CALLS]search[ARGS,]{"q": 1}'),
]


def shown(read: Any) -> str:
    """Return all that is known of a result or an error."""
    try:
        return repr(read())
    except OutputParserException as error:
        return repr((type(error), str(error), error.reason, error.span, error.observation,
                     error.llm_output, error.problem, error.send_to_llm))  # fmt: skip


def streamed(name: str, mode: Mode, text: str, ended: Ended) -> str:
    """Return what a stream of one chunk says."""
    reader = whole_reader(get_dialect(name), mode)

    def read() -> object:
        stream = TurnStream(reader._machine, advise=reader._advise)
        stream.read_whole(text, ended=ended)
        return stream.result

    return shown(read)


@pytest.mark.parametrize(("name", "text"), NEED_NO_STREAM)
def test_no_stream_is_made(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = streamed(name, "lenient", text, "unknown")
    monkeypatch.delattr(TurnStream, "read_whole")
    assert shown(lambda: get_parser(name).parse(text)) == expected


@pytest.mark.parametrize(("name", "text"), NEED_A_STREAM)
def test_what_is_not_certain_is_left_to_a_stream(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = streamed(name, "lenient", text, "unknown")
    assert shown(lambda: get_parser(name).parse(text)) == expected
    monkeypatch.delattr(TurnStream, "read_whole")
    with pytest.raises(AttributeError, match="read_whole"):
        get_parser(name).parse(text)


LABEL = re.compile(r"(?m)^([A-Z][A-Za-z ]{1,14}):")
DRESSES = ("**{}:**", "## {}:", "**{}**:", "**{}:", "- {}:", "{}：")


def spoilt(random: Random, text: str) -> str:
    """Return *text* with other labels, with trailing commas, or cut."""
    dress = random.choice(DRESSES)
    case = random.choice((str, str, str.lower, str.upper))
    share = random.choice((1, 1, 0.6))
    commas = random.choice(("", "", ",", " ,\n", ",,"))
    if random.random() < 0.7:
        text = LABEL.sub(
            lambda it: dress.format(case(it[1])) if random.random() < share else it[0], text
        )
    places = [found.start() for found in re.finditer(r"[]}]", text)]
    for at in sorted(random.sample(places, min(len(places), 2)), reverse=True):
        text = text[:at] + commas + text[at:]
    return text if random.random() < 0.7 else text[: random.randrange(len(text) + 1)]


@pytest.mark.parametrize("name", list_dialects())
def test_every_text_is_read_as_a_stream_reads_it(name: str) -> None:
    dialect, random = get_dialect(name), Random(name)
    turns = [dialect.write(dialect.example), *dialect.sample.split("\n\n"), dialect.sample]
    for _ in range(1_000 if THOROUGH else 15):
        text = spoilt(random, random.choice(turns))
        ended = random.choice(("unknown", "stop", "length"))
        mode = random.choice(("lenient", "lenient", "strict"))
        parser = get_parser(name, lenient=mode == "lenient")
        found = shown(lambda: parser.parse(text, ended=ended))  # noqa: B023 - called at once
        assert found == streamed(name, mode, text, ended), (mode, ended, text)
