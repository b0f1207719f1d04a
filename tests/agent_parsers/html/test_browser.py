"""Pages in a browser, and the live view of a stream in a notebook."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any, Self

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
    parse_transcript,
)
from agent_parsers.html import ashow, explanation_html, fragment, html_text, live, show, stream_html
from agent_runs import report_html

from ...helpers.html_pages import SHARP, Page, harmless, sharp_texts

# Pages in a browser: their text, their filter by keyboard, and that they ask for nothing.

RESTORED = """(element) => {
  for (const each of element.querySelectorAll("[data-char]"))
    each.replaceWith(String.fromCodePoint(parseInt(each.dataset.char, 16)));
  return [...element.textContent].map((char) => char.codePointAt(0));
}"""
"""The text of an element as code points, since a lone surrogate cannot be sent."""

RUN = (
    "Question: Which lake?\nThought: I look.\n**Action:** search\nAction Input: Thun\n"
    "Observation: 48 km²\nAction: clock\nAction Input: now\nObservation: noon\n"
    "Thought: Enough.\nFinal Answer: {}\n"
)


class Visit:
    """A page that is open in the browser, and what it asked for and complained of."""

    def __init__(self, browser: Any, path: Path, html: str) -> None:
        path.write_text(html, encoding="utf-8")
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page = browser.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.goto(path.as_uri())
        self.own = path.as_uri()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()
        assert self.asked == [self.own]
        assert not self.said

    def seen(self) -> list[str]:
        """Return the names of the steps that are seen."""
        steps = self.page.locator(".ap-steps>li")
        return [step.get_attribute("id") for step in steps.all() if step.is_visible()]

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


def visible(text: str) -> str:
    """Return *text* with the names of the characters that HTML cannot show."""
    return unescape(re.sub("</?span.*?>", "", html_text(text)))


def test_the_text_of_a_hostile_reply_is_on_the_page(browser: Any, tmp_path: Path) -> None:
    hostile = "Thought: " + " . ".join(SHARP) + "\nAction: `a`\nAction Input: \n\n  b \n\n"
    it = get_parser("react").explain(hostile)
    other = get_parser("hermes").explain(hostile[::-1])
    html = it.to_html().replace("</main>", fragment(explanation_html(other)) + "</main>")
    with Visit(browser, tmp_path / "a.html", html) as visit:
        sources = visit.page.locator(".ap-source")
        for source, text in zip(sources.all(), (it.text, other.text), strict=True):
            names = source.locator("[data-char]").all_inner_texts()
            assert len(names) > 8
            assert source.inner_text() == visible(text)
            assert "".join(map(chr, source.evaluate(RESTORED))) == text


def test_the_filter_works_by_keyboard(browser: Any, tmp_path: Path) -> None:
    runs = [parse_transcript(RUN.format(city), dialect="react") for city in ("Thun", "Bern")]
    with Visit(browser, tmp_path / "a.html", report_html(runs)) as visit:
        page = visit.page
        assert visit.seen() == []
        page.focus("h1 ~ .ap-filter select")
        page.keyboard.type("clo")  # the tool, whose option begins so
        assert page.inner_text("output") == "2 of 6 steps"
        assert visit.seen() == ["r1s2", "r2s2"]
        visit.press("Tab")
        page.keyboard.type("km²")
        page.get_by_text("0 of 6 steps").wait_for()
        assert visit.seen() == []
        visit.press("Tab", "Enter")
        assert page.inner_text("output") == ""
        assert page.evaluate("document.activeElement.tagName") == "SELECT"
        visit.press("Tab", "Tab", "Tab", "Enter")  # words, the button, the first run
        assert visit.seen() == ["r1s1", "r1s2", "r1s3"]
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"


def test_a_link_opens_the_run_of_its_step(browser: Any, tmp_path: Path) -> None:
    runs = [parse_transcript(RUN.format(city), dialect="react") for city in ("Thun", "Bern")]
    with Visit(browser, tmp_path / "a.html", report_html(runs)) as visit:
        page = visit.page
        page.select_option("select", label="clock (2)")
        page.focus(".ap-repaired summary")
        visit.press("Enter", "Tab", "Tab", "Enter")
        assert page.evaluate("location.hash") == "#r2s1"
        assert "r2s1" in visit.seen()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.set_viewport_size({"width": 360, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_scripts_a_report_is_read_all_the_same(browser: Any, tmp_path: Path) -> None:
    run = parse_transcript(RUN.format("Thun"), dialect="react")
    path = tmp_path / "a.html"
    path.write_text(report_html([run]), encoding="utf-8")
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    assert not page.locator(".ap-filter").is_visible()
    assert page.locator("#r1s3 .ap-text").all_inner_texts() == ["Enough.", "Thun"]
    page.close()


def test_all_runs_are_printed(browser: Any, tmp_path: Path) -> None:
    runs = [parse_transcript(RUN.format(city), dialect="react") for city in ("Thun", "Bern")]
    with Visit(browser, tmp_path / "a.html", report_html(runs)) as visit:
        page = visit.page
        heights = "[...document.querySelectorAll('.ap-run')].map((run) => run.clientHeight)"
        closed = page.evaluate(heights)
        page.emulate_media(media="print")
        assert min(page.evaluate(heights)) > 3 * max(closed)
        assert not page.locator(".ap-filter").is_visible()


NOTEBOOK = """
<style>.host dl{width:100%;overflow:hidden}.host dt{float:left;width:20%;font-weight:bold}
.host dd{float:left;width:80%}.host ol:not(.x),.host ul:not(.x){padding-left:2em;list-style:disc}
.host h1:first-child{margin-top:4em;font-size:3em}.host a:link{color:red}</style>"""
"""Rules as notebooks have them for what is shown in them."""
LOOKS = """() => [...document.querySelectorAll(".ap *")].map(e => {
    const {float, width, padding, margin, color, fontSize, listStyle} = getComputedStyle(e);
    return [e.className, float, width, padding, margin, color, fontSize, listStyle].join();
})"""


def test_the_rules_of_a_notebook_change_nothing(browser: Any) -> None:
    parser = get_parser("react", tools=["search"])
    shown = parser.read("Thought: hm\n**Action**: search\nAction Input: [1,]")._repr_html_()
    weak = shown.replace(":is(.ap,#ap)", ".ap")
    looks = []
    for body in (shown, f"{NOTEBOOK}{shown}", f"{NOTEBOOK}{weak}"):
        page = browser.new_page()
        page.set_content(f'<div class="host">{body}</div>')
        looks.append(page.evaluate(LOOKS))
        page.close()
    alone, hosted, hosted_weakly = looks
    assert len(alone) > 20
    assert alone == hosted != hosted_weakly


# The live view of a stream in a notebook.

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
