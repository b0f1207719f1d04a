"""The live view of a stream in a notebook."""

import asyncio
import sys
from collections.abc import AsyncIterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given

from agent_parsers import (
    ActionComplete,
    AgentAction,
    InputDelta,
    OutputParserException,
    Repair,
    StepFailed,
    ThoughtDelta,
    ToolNamed,
    get_parser,
    merge_events,
)
from agent_parsers.html import ashow, live, show, stream_html

from ...helpers.html_pages import Page, harmless, sharp_texts

TEXT = "Thought: hm\n**Action:** <b>search</b>\nAction Input: lakes"


class Handle:
    """A picture in the notebook, and what it showed."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def update(self, html: str) -> None:
        self.shown.append(html)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Handle:
    handle = Handle()

    def display(html: str, *, display_id: bool) -> Handle:
        assert display_id
        handle.update(html)
        return handle

    module: Any = ModuleType("IPython.display")
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(live, "_PAUSE_S", 0)
    return handle


def test_a_stream_is_shown_while_it_arrives(notebook: Handle) -> None:
    parser = get_parser("react")
    events = show(parser.events([*TEXT]))
    assert events == merge_events(parser.events([*TEXT]))
    assert any(isinstance(event, ActionComplete) for event in events)
    assert "arriving" in notebook.shown[0]
    fields = [Page(html).fields for html in notebook.shown]
    assert fields[0] == []
    assert [("thought", "h")] in fields
    assert fields[-1] == [("thought", "hm"), ("tool", "<b>search</b>"), ("input", "lakes")]
    assert "read &#x27;**Action:**&#x27; as the label" in notebook.shown[-1]


def test_an_error_is_shown_and_raised(notebook: Handle) -> None:
    with pytest.raises(OutputParserException):
        show(get_parser("react").events(["so ", "it is"]))
    assert ("source", "so it is") in Page(notebook.shown[-1]).fields


@pytest.mark.parametrize("text", [TEXT, "so it is"])
def test_an_asynchronous_stream_is_shown_alike(notebook: Handle, text: str) -> None:
    async def chunks() -> AsyncIterator[str]:
        for char in text:
            yield char

    parser = get_parser("react")
    if text == TEXT:
        assert asyncio.run(ashow(parser.aevents(chunks()))) == show(parser.events([*text]))
    else:
        with pytest.raises(OutputParserException):
            asyncio.run(ashow(parser.aevents(chunks())))
    assert ">over<" in notebook.shown[-1]


def test_without_a_notebook_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", None)
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(ImportError, match="show needs IPython, which every notebook has"):
        show([])


def test_outside_of_a_notebook_nothing_is_drawn_again(
    notebook: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["IPython.display"], "display", lambda *_, **__: None)
    assert show(get_parser("react").events([TEXT]))
    assert notebook.shown == []


@given(sharp_texts)
def test_no_text_of_a_stream_adds_an_element(text: str) -> None:
    def events_of(text: str) -> Any:
        return [
            ThoughtDelta(text, (0, 1)),
            ToolNamed(text, (0, 1)),
            InputDelta(text, (0, 1)),
            ActionComplete(AgentAction("a", {"k": text}, ""), (0, 1)),
            Repair("label", (0, 1), text),
            StepFailed(OutputParserException(text), (0, 1)),
        ]

    one, two = (Page(stream_html(events_of(each))) for each in (text, harmless(text)))
    assert one.elements == two.elements
    assert one.fields[:3] == [(part, text) for part in ("thought", "tool", "input")]
