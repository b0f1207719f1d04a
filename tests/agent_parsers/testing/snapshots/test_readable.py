"""Values as texts that a person can read."""

from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePosixPath
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from agent_parsers import AgentAction, OutputParserException, Repair, ThoughtDelta
from agent_parsers.testing import readable


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
