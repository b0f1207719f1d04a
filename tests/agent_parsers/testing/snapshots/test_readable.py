"""Values as texts that a person can read."""

from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import PurePosixPath
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from agent_parsers import (
    ActionComplete,
    AgentAction,
    OutputParserException,
    Repair,
    ThoughtDelta,
    get_parser,
)
from agent_parsers.events import MarkerSeen, StepFailed
from agent_parsers.testing import assert_same_events, readable


class Colour(Enum):
    RED = 1


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int = 1


@dataclass
class Pair:
    left: Any
    right: Any = None
    hidden: int = field(default=0, repr=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is\r\n", "as it is\r\n"),
        ("", ""),
        (None, "None\n"),
        (0.5, "0.5\n"),
        (Colour.RED, "<Colour.RED: 1>\n"),
        (b"ab", "b'ab'\n"),
        (PurePosixPath("a/b"), '"a/b"\n'),
        (["a", 1, None], '["a", 1, None]\n'),
        ((1, 2), "(1, 2)\n"),
        ({3, 1, 2}, "{1, 2, 3}\n"),
        ([], "[]\n"),
        ({}, "{}\n"),
        (["\nstop"], '["\\nstop"]\n'),
        (["it's", 'say "hi"', 'it\'s "hi"'], """["it's", 'say "hi"', 'it\\'s "hi"']\n"""),
        ([["a"], {"b": 1}], '- ["a"]\n- "b": 1\n'),
        (["x" * 50, "y" * 50], f'- "{"x" * 50}"\n- "{"y" * 50}"\n'),
        (["one\ntwo", 3], '- "one\\n"\n  "two"\n- 3\n'),
        ({"a": {"b": []}, 2: "x\ny"}, '"a":\n  "b": []\n2:\n  "x\\n"\n  "y"\n'),
        (Loose.model_validate({"b": 2}), "Loose\n  a: 1\n  b: 2\n"),
        (Pair(1), "Pair\n  left: 1\n  right: None\n"),
        (Pair(Pair(1), [2]), "Pair\n  left: Pair\n    left: 1\n    right: None\n  right: [2]\n"),
        ([Pair(1)], "- Pair\n    left: 1\n    right: None\n"),
        (ThoughtDelta("a\nb", (3, 6)), '     3-6      thought      "a\\nb"\n'),
        (
            {"repairs": (Repair("label", (0, 2), "read it"),)},
            '"repairs":\n       0-2      repair       label: read it\n',
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_shown_part_by_part(value: object, text: str) -> None:
    assert readable(value) == text


def test_a_text_of_several_lines_has_several() -> None:
    action = AgentAction("search", "bridge", "Action: search\nAction Input: bridge")
    assert readable(action).splitlines() == [
        "AgentAction",
        '  tool: "search"',
        '  tool_input: "bridge"',
        "  log:",
        '    "Action: search\\n"',
        '    "Action Input: bridge"',
    ]


def test_an_exception_shows_its_attributes() -> None:
    error = OutputParserException("no", llm_output="x", span=(0, 1))
    assert readable(error).splitlines() == [
        "OutputParserException",
        '  message: "no"',
        "  observation: None",
        '  llm_output: "x"',
        "  send_to_llm: False",
        "  span: (0, 1)",
    ]


def test_a_value_without_a_repr_is_refused() -> None:
    with pytest.raises(TypeError, match="this object cannot be shown: it has no repr of its own"):
        readable([object()])


def test_what_does_not_print_is_escaped() -> None:
    assert readable(["a\u2028\ud800\x1bé"]) == '["a\\u2028\\ud800\\x1bé"]\n'


# -- assert_same_events: streams compared, and how they differ -------------------------------------

TEXT = "Thought: hm\nAction: search\nAction Input: oldest bridge"
parser = get_parser("react", tools=["search"])


def difference(first: object, second: object, text: str | None = None) -> list[str]:
    with pytest.raises(AssertionError) as caught:
        assert_same_events(first, second, text=text)  # type: ignore[arg-type]  # anything goes
    return str(caught.value).split("\n")


def test_cuts_do_not_matter() -> None:
    assert_same_events(parser.events([TEXT]), parser.events(TEXT))
    assert_same_events([], iter([]))


def test_the_first_event_that_differs_is_shown_in_both() -> None:
    other = parser.events([TEXT.replace("oldest", "newest")])
    assert difference(parser.events([TEXT]), other) == [
        "the events differ from event 6 on (- the first, + the second):",
        "      11-20     marker       action",
        '      20-26     tool         "search"',
        "      26-41     marker       input",
        '-     41-54     input        "oldest bridge"',
        '-     20-54     action       search "oldest bridge"',
        '+     41-54     input        "newest bridge"',
        '+     20-54     action       search "newest bridge"',
    ]


def test_the_place_in_the_text_is_shown() -> None:
    other = parser.events([TEXT.replace("oldest", "newest")])
    first, *_ = difference(parser.events([TEXT]), other, TEXT)
    assert first.startswith("the events differ from event 6 on, line 3, column 15 of the text (")


def test_a_story_that_ends_before_the_other() -> None:
    events = list(parser.events([TEXT]))
    *_, first, second = difference(events[:-1], events)
    assert first == "- (no more events)"
    assert second == '+     20-54     action       search "oldest bridge"'


def test_what_no_line_shows_is_compared_too() -> None:
    events = list(parser.events([TEXT]))
    end = events[-1]
    assert isinstance(end, ActionComplete)
    other = replace(end, action=AgentAction("search", "oldest bridge", log="another"))
    lines = difference(events, [*events[:-1], other])
    assert lines[0] == "the events differ from event 7 on (- the first, + the second):"
    assert lines[4:6] == ['      20-54     action       search "oldest bridge"', "line 1"]
    assert '-     "Thought: hm\\n"' in lines
    assert '+   log: "another"' in lines


def test_an_error_is_the_last_event() -> None:
    text = "Action: serch\nAction Input: Bern"
    assert_same_events(parser.events([text]), parser.events(text))
    reader = parser.stream_parser()
    unfinished = [*reader.feed(text), MarkerSeen("end", (33, 33))]
    *_, first, second = difference(parser.events([text]), unfinished)
    assert first == "-      8-13     failed       'serch' is not one of the tools"
    assert second == "+     33-33     marker       end"


@pytest.mark.parametrize(
    "error",
    [
        OutputParserException("other", "said", "x", span=(0, 1)),
        OutputParserException("no", "other", "x", span=(0, 1)),
        OutputParserException("no", "said", "x", span=(0, 0)),
    ],
    ids=["reason", "observation", "span"],
)
def test_errors_are_the_same_if_they_say_the_same(error: OutputParserException) -> None:
    def failed(error: OutputParserException) -> list[StepFailed]:
        assert error.span is not None
        return [StepFailed(error, error.span)]

    same = [OutputParserException("no", "said", "x", span=(0, 1)) for _ in range(2)]
    assert_same_events(failed(same[0]), failed(same[1]))
    assert difference(failed(same[0]), failed(error))


def test_another_exception_goes_through() -> None:
    def broken() -> object:
        raise ZeroDivisionError
        yield

    with pytest.raises(ZeroDivisionError):
        assert_same_events(broken(), [])  # type: ignore[arg-type]
