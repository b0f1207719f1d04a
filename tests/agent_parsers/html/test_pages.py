"""Pages of explanations, turns, runs and errors: their text is the text given, and nothing else."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import texts
from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    Explanation,
    OutputParserException,
    Repair,
    Transcript,
    TranscriptStep,
    get_parser,
    parse_transcript,
)
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.explain.explanation import explain
from agent_parsers.html import explanation_html, transcript_html, turn_html
from agent_parsers.transcripts import Notice, RunSource
from agent_runs import read_runs, report_html

from ...helpers.html_pages import Page, harmless, sharp_texts
from ...helpers.stories import every_dialect, every_turn_mode

Elements = list[tuple[str, list[tuple[str, str | None]]]]

ANCHOR = re.compile(r"\bap[0-9a-f]{10}")


def structure(html: str) -> Elements:
    """Return the elements of a page with all attributes, apart from the anchors of its texts."""
    html.encode()
    return [
        (tag, [(name, ANCHOR.sub("ap", value or "")) for name, value in attrs])
        for tag, attrs in Page(html).elements
        if tag not in {"style", "meta"}
    ]


def assert_closed(html: str) -> None:
    """Check that a page loads nothing, and that its links lead to its own places."""
    page = Page(html)
    names = [value for _, attrs in page.elements for name, value in attrs if name == "id"]
    assert len({*names}) == len(names)
    for tag, attrs in page.elements:
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in {"src", "style", "srcset", "action", "data", "background"}
            assert "://" not in (value or ""), (tag, name, value)
            if name == "href":
                assert value is not None
                assert value.startswith("#")
                assert value[1:] in names


# -- explanations ----------------------------------------------------------------------------------


def dull(it: Explanation) -> Explanation:
    """Return an explanation of the same shape whose texts mean nothing to a browser."""
    said = it.error
    error = None
    if said is not None:
        seen = None if said.observation is None else harmless(said.observation)
        span = said.span
        reason = harmless(said.reason)
        text = None if said.llm_output is None else harmless(said.llm_output)
        error = OutputParserException(reason, seen, text, span=span)
    return replace(
        it,
        text=harmless(it.text),
        result=dull_result(it.result),
        error=error,
        repairs=tuple(replace(r, message=harmless(r.message)) for r in it.repairs),
        ignored=tuple(replace(m, reason=harmless(m.reason)) for m in it.ignored),
    )


def dull_result(result: Any) -> Any:
    match result:
        case AgentAction(tool=tool, tool_input=str() as text):
            return AgentAction(harmless(tool), harmless(text), "")
        case list():
            return [dull_result(each) for each in result]
        case AgentFinish(return_values={"output": str() as text}):
            return AgentFinish({"output": harmless(text)}, "")
    return result


@every_turn_mode
@given(data=st.data())
def test_an_explanation_shows_its_text_and_adds_nothing(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    sharp = data.draw(sharp_texts)
    text = data.draw(texts(dialect, mode))
    at = data.draw(st.integers(0, len(text)))
    it = explain(dialect, mode, text[:at] + sharp + text[at:])
    html = explanation_html(it)
    assert Page(html).fields[0] == ("source", it.text)
    assert structure(html) == structure(explanation_html(dull(it)))
    assert_closed(html)


def test_an_explanation_says_what_every_part_is() -> None:
    it = get_parser("react", tools=["search"]).explain(
        "**Thought:** hm\nAction: `Search`\nAction Input: x # Action: y\nObservation: 3"
    )
    html = explanation_html(it)
    labels = [dict(attrs).get("data-part") for _, attrs in Page(html).elements]
    assert [label for label in labels if label] == ["thought", "tool", "input", "skipped"]
    assert re.findall(r">(\d \w+)</a>", html) == [
        "1 repaired", "2 repaired", "3 ignored", "4 repaired",
    ]  # fmt: skip
    assert html.count("ap-on-repaired") == 3
    assert html.count("ap-on-ignored") == 1


def test_parts_that_begin_on_one_line_share_its_words() -> None:
    it = get_parser("hermes").explain('<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>')
    labels = [dict(attrs).get("data-part") for _, attrs in Page(it.to_html()).elements]
    assert [label for label in labels if label] == ["marker", "tool · input", "marker"]


def test_an_error_stands_where_it_is() -> None:
    html = get_parser("react").explain("Thought: hm\nso it is").to_html()
    assert re.search(r'ap-on-error">so it is</span><a class="ap-ref ap-error"', html)
    assert '1 error</a><div><span class="ap-text">expected an Action or a Final Answer<' in html


# -- turns and errors ------------------------------------------------------------------------------


def assert_shown(error: OutputParserException) -> None:
    html = error.to_html()
    assert Page(html).fields[0] == ("source", error.llm_output)
    assert_closed(html)


@every_dialect
@given(data=st.data())
def test_a_turn_shows_its_text_if_it_is_known(dialect: Dialect, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, "lenient"))
    try:
        turn = get_parser(dialect).read(text)
    except OutputParserException as error:
        assert_shown(error)
        return
    html = turn.to_html()
    fields = Page(html).fields
    sources = [text for part, text in fields if part == "source"]
    last = turn.result[-1] if isinstance(turn.result, list) else turn.result
    assert sources in ([], [last.log])
    assert [text for part, text in fields if part == "thought"] == [turn.thought] * bool(
        turn.thought
    )
    assert_closed(html)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("react", "Thought: hm\n**Action:** a\nAction Input: b\n"),
        ("react", "I know.\nFinal Answer: 4"),
        ("react", "Action: a\nAction Input: b\n"),
        ("hermes", '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>'),
        ("hermes", "It is late."),
    ],
)
def test_the_text_of_a_usual_turn_is_known(name: str, text: str) -> None:
    assert ("source", text) in Page(get_parser(name).read(text).to_html()).fields


def test_what_follows_the_turn_is_not_in_its_text() -> None:
    text = "**Action:** a\nAction Input: b\n"
    html = get_parser("react").read(f"{text}Observation: c").to_html()
    assert ("source", text.rstrip()) in Page(html).fields or ("source", text) in Page(html).fields
    assert re.search(r'1 repaired</a>.*<span class="ap-repaired">repaired</span>', html)


def test_a_turn_of_a_message_has_no_text_but_its_repairs() -> None:
    call = {"id": "1", "function": {"name": "area", "arguments": "{'lake': 'Thun',}"}}
    message = {"role": "assistant", "content": "<b>", "tool_calls": [{"type": "function", **call}]}
    html = turn_html(get_parser("tools").read(message))
    page = Page(html)
    assert page.fields == [("content", "<b>"), ("tool", "area"), ("input", '{"lake": "Thun"}')]
    assert '<span class="ap-repaired">repaired</span>' in html


def test_an_error_without_a_text_is_its_reason() -> None:
    html = OutputParserException("no <reason>")._repr_html_()
    assert "no &lt;reason&gt;" in html
    assert not Page(html).fields


# -- runs ------------------------------------------------------------------------------------------


def run_of(words: Iterator[str], shape: int) -> Transcript:
    """Return a run with these words everywhere."""
    repair = Repair("label", (0, 1), next(words))
    thought = next(words)
    log = f"{thought}\n{next(words)}"
    error = OutputParserException(next(words), next(words), log, span=(0, len(thought)))
    action = AgentAction(next(words), next(words), log)
    steps = [
        TranscriptStep(1, thought, action, next(words), (5, 5 + len(thought)), None, None),
        TranscriptStep(2, "", None, None, None, None, None, (repair,), error),
        TranscriptStep(3, thought, AgentFinish({"output": next(words)}, log), None, *[None] * 3),
    ]
    if shape % 2:
        steps[0] = replace(steps[0], repairs=(Repair("x", (5, 6), next(words)),))
    return Transcript(
        question=next(words),
        all_steps=tuple(steps),
        preamble=next(words),
        question_repairs=(repair,),
        id=next(words),
        source=RunSource("plain", dialect=next(words), file=next(words), line=shape),
        notices=(Notice("no_answer", next(words), 1, next(words)),),
    )


def numbered(drawn: list[str], change: Callable[[str], str]) -> Iterator[str]:
    for number in range(100):
        yield change(f"{number} {drawn[number % len(drawn)]}.")


@given(st.lists(sharp_texts, min_size=1, max_size=9), st.integers(0, 3))
def test_a_report_shows_its_texts_and_adds_nothing(drawn: list[str], shape: int) -> None:
    run, plain = (run_of(numbered(drawn, change), shape) for change in (str, harmless))
    html = report_html([run, run], title=drawn[0], unread=drawn)
    dull_html = report_html([plain, plain], title="x", unread=map(harmless, drawn))
    assert structure(html) == structure(dull_html)
    assert_closed(html)
    first, second, third = run.all_steps
    assert isinstance(first.action, AgentAction)
    assert isinstance(third.action, AgentFinish)
    assert second.error is not None
    written = [("source", first.action.log)] if first.repairs else []
    expected = [
        ("preamble", run.preamble), ("question", run.question),
        ("thought", first.thought), ("tool", first.action.tool),
        ("input", first.action.tool_input), *written, ("observation", first.observation),
        ("source", second.error.llm_output), ("observation", second.error.observation),
        ("thought", third.thought), ("answer", third.action.return_values["output"]),
    ]  # fmt: skip
    assert Page(html).fields == expected * 2
    assert Page(run.to_html()).fields == expected


def test_a_text_that_is_not_escaped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outputs.html.texts.html_text", str)
    run, plain = (run_of(numbered(["<b>"], change), 0) for change in (str, harmless))
    with pytest.raises(AssertionError):
        assert structure(transcript_html(run)) == structure(transcript_html(plain))


RUN = """\
Question: Which lake?
Thought: I look.
**Action:** search
Action Input: Thun
Observation: 48 km²
Thought: so
it is
Observation: none
Thought: Enough.
Final Answer: Thun
"""


def test_the_repairs_of_a_step_stand_in_its_text() -> None:
    html = transcript_html(parse_transcript(RUN, dialect="react"))
    assert re.search(r'ap-on-repaired">\*\*Action:\*\*</span><a class="ap-ref ap-repaired"', html)
    assert re.search(r'ap-on-error">[^<]*it is</span>', html)


def test_a_step_that_was_not_read_keeps_its_thought() -> None:
    error = OutputParserException("no", llm_output="x")
    step = TranscriptStep(1, "I think.", None, None, None, None, None, error=error)
    run = Transcript(question="", all_steps=(step,))
    assert Page(transcript_html(run)).fields == [("thought", "I think."), ("source", "x")]


def test_two_on_one_page_have_places_of_their_own() -> None:
    one = parse_transcript(RUN, dialect="react")
    two = parse_transcript(RUN.replace("Thun", "Brienz"), dialect="react")
    assert_closed(one._repr_html_() + two._repr_html_())


def test_every_bar_leads_to_its_steps() -> None:
    run = parse_transcript(RUN, dialect="react")
    html = report_html([run, run])
    charts = html[html.index('class="ap-charts"') : html.index('class="ap-filter"')]
    assert re.findall(r'href="#(\w+)">([\w, ]+)</a>', charts) == [
        ("r1s1", "run 1, step 1"), ("r2s1", "run 2, step 1"),  # tools
        ("r1s1", "run 1, step 1"), ("r2s1", "run 2, step 1"),  # repairs
        ("r1s2", "run 1, step 2"), ("r2s2", "run 2, step 2"),  # errors
        ("r1", "run 1"), ("r2", "run 2"),  # read as
    ]  # fmt: skip


def test_bars_have_one_scale_and_what_happened_once_fills_none() -> None:
    once = parse_transcript("Question: q\nAction: a\nAction Input: [1,]\nObservation: b\n")
    html = report_html([once])
    widths = re.findall(r'<rect width="([\d.]+)" height="8"/></svg>', html)
    assert widths
    assert {*widths} == {"50"}
    many = parse_transcript("Question: q\n" + "Action: a\nAction Input: b\n" * 20)
    widths = re.findall(r'<rect width="([\d.]+)" height="8"/></svg>', report_html([many, once]))
    assert widths.count("100") == 1  # the only tool


def test_repairs_and_notices_are_counted_in_words() -> None:
    html = report_html([parse_transcript(RUN, dialect="react")])
    charts = html[html.index('class="ap-charts"') : html.index('class="ap-filter"')]
    assert "_" not in "".join(re.findall(r'class="ap-what">([^<]+)<', charts))


def test_the_list_of_runs_names_their_files_if_there_are_several() -> None:
    run = parse_transcript(RUN, dialect="react")
    one, two = (replace(run, source=RunSource("react", file=f"logs/{name}")) for name in ("a", "b"))
    assert re.findall(r'<bdi class="ap-sub">(\w+)</bdi>', report_html([one, two])) == ["a", "b"]
    assert '<bdi class="ap-sub">' not in report_html([one, one])


def test_a_log_that_ends_with_the_answer_has_no_notice_in_a_report() -> None:
    (run,) = read_runs(StringIO("Question: q\nThought: hm\nFinal Answer: Thun"))
    assert [notice.kind for notice in run.notices] == ["cut_value"]
    assert "<dt>notices</dt><dd>0</dd>" in report_html([run])
    assert "may have been cut short" not in report_html([run])


def test_a_bar_has_few_links_and_says_how_many_more() -> None:
    run = parse_transcript("Question: q\n" + "Action: a\nAction Input: b\n" * 130, dialect="react")
    html = report_html([run])
    assert len(re.findall(r'<a href="#r1s\d+">run', html)) == 100 + min(len(run.notices), 100)
    assert " and 30 more" in html


@pytest.mark.parametrize(("count", "is_folded"), [(8, False), (9, True)])
def test_many_things_that_were_not_read_are_folded(count: int, is_folded: bool) -> None:
    html = report_html([], unread=[f"{number}.log: no run" for number in range(count)])
    assert html.count("no run") == count
    assert (">What was not read</summary>" in html) is is_folded


def test_a_report_of_nothing_is_a_page() -> None:
    html = report_html([], unread=["a.log: no such file"])
    assert "<dt>not read</dt><dd>1</dd>" in html
    assert "a.log: no such file" in html
