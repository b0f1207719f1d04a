"""Rows that are read without an object for each: which they are, and that they are read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import get_parser

from ...helpers.effort import MANY
from ...helpers.tables import check_rows

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from agent_parsers.bulk import TableParser  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLS = ["search", "look_up"]
LABELS = {
    "react": ("Thought: ", "Action: ", "Action Input: ", "Final Answer: "),
    "mrkl": ("Thought: ", "Action: ", "Action Input: ", "Final Answer: "),
    "haystack": ("Thought: ", "Tool: ", "Tool Input: ", "Final Answer: "),
    "react_crewai": ("Thought: ", "Action: ", "Action Input: ", "Final Answer: "),
    "react_llamaindex": ("Thought: ", "Action: ", "Action Input: ", "Answer: "),
    "react_zh": ("思考：", "行动：", "行动输入：", "最终答案："),
}
PIECES = [
    *("word", "two words", "old bridge ", "x", " ", "\n", "\n\n", "\t", "\n ", "1", "42", "é"),
    *("Action", "Action Input", "Final Answer", "final answer", "Observation", "Thought", "Tool"),
    *("Question", "Input", "Answer", "Parameters", "AI", "None", "null", "Finish", "search"),
    *(":", ": ", "：", ":\n", "a: b", "10:30", "https://x.y", "?", "!", ".", "…", "-", "- ", "2)"),
    *("'", "'''", '"', '"""', "“", "”", "`", "```", "*", "**", "_", "__", "#", "# ", "3 * 4"),
    *("[", "]", "{", "}", '{"q": "x"}', '{"q": 1,}', "(", ")", "<", ">", "-->", "~~~", "|", "\\"),
    *("<think>", "</think>", "[THINK]", "[/THINK]", "<|im_end|>", "\nObs", "\nAct", "Yes", "not"),
    *("\r", "\r\n", "\0", "\x1c", "\x85", "\xa0", "\u200b", "\u2028", "\u3000", "\ufeff", "ſ", "٣"),
]
"""Words, and what may mean something in or beside a turn."""

soup = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


@st.composite
def turns(draw: st.DrawFn, labels: tuple[str, ...]) -> str:
    """Return a turn with the labels of a dialect, and anything between them."""
    thought, tool, tool_input, answer = labels
    lead = draw(st.sampled_from(["", thought]))
    before = draw(st.just("") | soup.map(lambda text: f"{lead}{text}\n"))
    name = draw(st.sampled_from([*TOOLS, "None", "x1"]) | soup)
    action = f"{tool}{name}\n{tool_input}{draw(soup)}"
    return before + draw(st.sampled_from([action, f"{answer}{draw(soup)}"]))


@MANY
@given(data=st.data())
@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", LABELS)
def test_any_turn_with_these_labels_is_read_alike(
    name: str, lenient: bool, tools: list[str] | None, data: st.DataObject
) -> None:
    texts = data.draw(st.lists(turns(LABELS[name]), min_size=1, max_size=8))
    parser = get_parser(name, lenient=lenient, tools=tools)
    parsed = TableParser(name, lenient=lenient, tools=tools)(pa.table({"text": texts}))
    check_rows(parser, texts, parsed.to_pylist())


def others(texts: Sequence[str], name: str = "react", **options: Any) -> list[str]:
    """Return the texts that are not plain."""
    kind = type(get_parser(name))
    with mock.patch.object(kind, "read", autospec=True, side_effect=kind.read) as read:
        TableParser(name, **options)(pa.table({"text": texts}))
    return [call.args[1] for call in read.call_args_list]


PLAIN = [
    "I need its age.\nAction: search\nAction Input: oldest bridge in Bern",
    'Thought: first: the age, then what it\'s "for"\n\nAction: search\nAction Input: 3 * 4 > 7\n',
    'Action: search\nAction Input: {"query": "a", "ids": [1, 2]}',
    "Action: search\nAction Input: https://example.org",
    "I now know the final answer\nFinal Answer: Brücke: 48 km²",
    "Final Answer: 42",
]


@pytest.mark.parametrize("lenient", [False, True])
def test_plain_turns_need_no_parser(lenient: bool) -> None:
    assert others(PLAIN, lenient=lenient) == []
    assert others(PLAIN, lenient=lenient, tools=["search"]) == []
    call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    assert others([call], "hermes", lenient=lenient) == []


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Action: None\nAction Input: x", {}),
        ("Action: other\nAction Input: x", {"tools": ["search"]}),
        ("Action: search\nAction Input: x\nObservation: y", {}),
        ("Action: search\nAction Input: x\nObserv", {}),
        ("**Action:** search\nAction Input: x", {}),
        ('"""\nFinal Answer: 1\n"""', {}),
        ("Final Answer: ", {}),
        ("Final Answer: 12", {"max_chars": 5}),
        ("no label", {}),
    ],
)
def test_all_others_are_left_to_the_parser(text: str, options: dict[str, Any]) -> None:
    assert others([text], **options) == [text]


def test_dialects_with_other_forms_are_left_to_the_parser() -> None:
    assert others(["Answer: 1"], "react_llamaindex", lenient=False) == ["Answer: 1"]
    assert others(["hi"], "hermes", start="thought") == ["hi"]
    call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    assert others([call], "hermes", tools=["g"]) == [call]
    assert others([call], "hermes", tools=["f"]) == []
