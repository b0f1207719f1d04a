"""Explanations: spans, repairs, ignored markers, and how they are drawn."""

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_laws import texts
from agent_laws.laws.work import WHOLE, Work, counted_patterns, growth, shapes
from agent_laws.trials.pieces import table_of
from agent_laws.trials.stories import parsed, refusal, story_of
from agent_laws.trials.strategies import anything, tool_lists
from agent_parsers import (
    Dialect,
    DialectParser,
    OutputParserException,
    Repair,
    get_dialect,
    get_parser,
)
from agent_parsers.authoring import Label
from agent_parsers.engine.tables.modes import MAX_CHARS, Mode
from agent_parsers.explain.explanation import Explanation, explain
from agent_parsers.explain.findings import Places
from agent_parsers.explain.markers import Watcher
from agent_parsers.explain.screen import Drawing, cells, fit, wrapped
from agent_parsers.testing import SnapshotValue
from agent_parsers.testing.snapshots.pages import heading
from output_parsers.printable import printable

from ...helpers.command_line import BRIDGE, MILL, command, terminal
from ...helpers.effort import THOROUGH
from ...helpers.growth import assert_linear
from ...helpers.stories import every_dialect, every_run_dialect, every_turn_mode
from ..dialects.test_snapshots import replies

TOOLS = {"search": "", "calculate": "", "clock": ""}
COLOUR = re.compile(r"\x1b\[[\d;]*m")

MESSY = {
    "react": {
        "labels where they do not count": """\
Thought: first Action: search, then more.
Action: search
Action Input: ```
Observation: in the log
```
  final answer: no
Question: why?
Observation: 42
Final Answer: 42""",
        "reasoning, a tool in a namespace, and input that goes on": """\
<think>
Maybe Action: search
Action: clock
</think>
Action: functions.Search
## Action Input
{"query": "桥 🧀", "year": 1489,}

I hope that helps.<|im_end|>""",
        "a name that is nearly that of a tool": """\
Thought:\t看一下。\x1b[31m
Action: serch
Parameters: bridges""",
    },
    "react_docstore": {
        "a second step, and text after the call": """\
I look at Action 1: first.
**Action 1:** search[Lake [of] Brienz] to see
Thought 2: ok
Action 2: Finish[yes]""",
    },
}
"""Titles and replies by dialect; a dialect without an entry shows only the wild replies."""


@every_run_dialect
def test_a_person_can_read_it(dialect: Dialect, snapshot_value: SnapshotValue) -> None:
    parser = get_parser(dialect.name, tools=TOOLS)
    found = [*replies("wild", dialect.name), *MESSY.get(dialect.name, {}).items()]
    drawn = [f"{heading(title)}{parser.explain(text)}\n" for title, text in found]
    snapshot_value("\n".join(drawn), name=f"{dialect.name}/explain")


# -- what is true of every dialect ----------------------------------------------------------------


def example(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> tuple[Explanation, list[str] | None]:
    text = data.draw(texts(dialect, mode), "text")
    tools = data.draw(tool_lists(dialect), "tools")
    return explain(dialect, mode, text, tools), tools


@every_turn_mode
@given(data=st.data())
def test_it_agrees_with_parse_and_the_events(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    it, tools = example(dialect, mode, data)
    story = story_of(dialect, mode, [it.text], tools=tools)
    outcome = it.result if it.error is None else refusal(it.error)
    assert outcome == story.outcome == parsed(dialect, mode, it.text, tools=tools)
    assert_tiled(it)
    repairs = [(repair.span, repair.kind, repair.message) for repair in it.repairs]
    assert sorted(repairs) == sorted((e.span, e.kind, e.message) for e in story.of(Repair))
    assert [span for span, *_ in repairs] == sorted(span for span, *_ in repairs)
    assert all(repair.before == it.text[slice(*repair.span)] for repair in it.repairs)


def assert_tiled(it: Explanation) -> None:
    at = 0
    for span in it.spans:
        assert span.span[0] == at < span.span[1]
        assert span.text == it.text[slice(*span.span)]
        assert bool(span.marker) == (span.part == "marker")
        at = span.span[1]
    assert at == len(it.text)


@every_turn_mode
@given(data=st.data())
def test_a_marker_is_either_in_the_spans_or_ignored(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    it, _ = example(dialect, mode, data)
    watcher = Watcher(dialect, mode=mode, max_chars=MAX_CHARS, tools=None, on_conflict="error")
    watcher.feed(it.text)
    with suppress(OutputParserException):
        watcher.close()
    passed = watcher.passed
    for mark in passed:
        if not mark.crossing.is_note:
            start, end = mark.span
            over = [s.marker for s in it.spans if s.span[0] <= start and end <= s.span[1]]
            assert over == [mark.crossing.name]
    counted = [mark.span for mark in passed]
    for ignored in it.ignored:
        assert ignored.text == it.text[slice(*ignored.span)]
        assert ignored.reason
        start, end = ignored.span
        assert not any(start < stop and begin < end for begin, stop in counted)
    told_of = counted + [ignored.span for ignored in it.ignored]
    for marker in table_of(dialect, mode).markers.values():
        if isinstance(marker, Label) and not marker.borrowed:
            for spelt in re.finditer(rf"(?<!\w){re.escape(marker.canonical)}", it.text):
                at = spelt.end() - 1
                assert any(start <= at < end for start, end in told_of)


@every_turn_mode
@given(data=st.data(), width=st.integers(1, 100))
def test_what_is_drawn_fits_and_is_harmless_and_its_json_is_json(
    dialect: Dialect, mode: Mode, data: st.DataObject, width: int
) -> None:
    it, _ = example(dialect, mode, data)
    lines = it.render(width=width).split("\n")
    assert all(line == printable(line) and cells(line) <= max(width, 40) for line in lines)
    coloured = COLOUR.sub("", it.render(color=True, width=width))
    assert [line.rstrip() for line in coloured.split("\n")] == lines
    rows = Drawing(it, color=False, width=40).rows()
    seen = "".join(it.text[start:end] for row in rows for start, end, _ in row.pieces)
    assert seen == it.text.replace("\n", "")
    written = json.dumps(it.to_json())
    value = json.loads(written)
    assert json.dumps(value) == written
    for part in (*value["spans"], *value["repairs"], *value["ignored"]):
        assert place_of(it.text, part["span"][0]) == (part["line"], part["column"])
    if it.error is not None:
        error = value["error"]
        assert (error["line"], error["column"]) == (it.error.line, it.error.column)


@every_turn_mode
@given(text=anything(), max_chars=st.integers(0, 30))
def test_a_text_that_is_too_long_is_explained_up_to_the_limit(
    dialect: Dialect, mode: Mode, text: str, max_chars: int
) -> None:
    it = explain(dialect, mode, text, max_chars=max_chars)
    outcome = it.result if it.error is None else refusal(it.error)
    assert outcome == parsed(dialect, mode, text, max_chars=max_chars)
    assert "".join(span.text for span in it.spans) == text
    unread = [span for span in it.spans if span.part == "unread"]
    assert bool(unread) == (len(text) > max_chars)
    assert str(it)


@every_dialect
def test_twice_the_text_is_twice_the_work(dialect: Dialect) -> None:
    work = Work()

    def do(text: str, _size: int) -> int:
        return work.count(lambda: str(explain(dialect, "lenient", text)))

    with counted_patterns(work):
        explain(dialect, "lenient", "")
        some = [shape for shape in shapes(dialect)[:: 50 if THOROUGH else 100] if shape[1]]
        slow = {shape: g for shape in some if (g := growth(do, shape, WHOLE)) > 2.3}
    assert not slow


@every_dialect
def test_the_time_grows_no_faster_than_the_text(dialect: Dialect) -> None:
    """Measure time, since the count of calls does not include characters that are skipped."""

    def draw(text: str) -> None:
        it = explain(dialect, "lenient", text)
        it.render(color=True)
        it.to_json()

    for run in ("\nAction:", dialect.sample + "\n"):
        assert_linear(draw, run.__mul__, -(-500 // len(run)))


# -- markers that do not count --------------------------------------------------------------------


def ignored(name: str, text: str, mode: Mode = "lenient") -> list[tuple[str, str]]:
    it = explain(get_dialect(name), mode, text)
    return [(mark.text, mark.reason) for mark in it.ignored]


def test_a_label_in_the_middle_of_a_line_does_not_count() -> None:
    text = "Thought: take Action: now\nAction: search\nAction Input: x"
    assert ignored("react", text) == [("Action:", "not at the beginning of a line")]


def test_a_label_in_a_fence_does_not_count() -> None:
    text = "Action: search\nAction Input: a\n```\nObservation: b\n```"
    assert ignored("react", text) == [("Observation:", "in the fence that opens on line 3")]


def test_a_label_that_must_be_firm_does_not_count_otherwise() -> None:
    text = "Action: search\nAction Input: a\n  # final answer: b"
    reason = "in the input only 'Final Answer:' at the very beginning of a line counts"
    assert ignored("react", text) == [("final answer:", reason)]


def test_an_ignored_label_has_the_labels_that_count() -> None:
    text = "Action: search\nAction Input: a\nQuestion: b"
    (mark,) = ignored("react", text)
    assert mark[1].startswith("in the input, where only 'Thought:', ")


def test_no_label_counts_in_reasoning_and_after_the_end() -> None:
    text = "<think>\nAction: a\n</think>\nFinal Answer: b\nObservation: c\nAction: d"
    assert ignored("react", text) == [
        ("Action:", "in reasoning"),
        ("Action:", "after the turn ended"),
    ]


def test_strict_mode_says_what_only_lenient_mode_reads() -> None:
    text = "Thought: a\nObservation: b\naction: c"
    assert ignored("react", text, "strict") == [
        ("Observation:", "only lenient mode reads it"),
        ("action:", "in the thought only the exact spelling 'Action:' counts"),
    ]
    assert ignored("react_docstore", "Action: a\naction: b[c]", "strict") == [
        ("action:", "in the call only 'Action:' at the very beginning of a line counts")
    ]


def test_a_step_after_an_error_does_not_count() -> None:
    text = "Action 1: a[b]\nThought 2: c\nAction 2: d[e]"
    assert ignored("react_docstore", text, "strict") == [
        ("Action 2:", "after the text that caused the error")
    ]


def test_words_that_merely_end_like_a_label_are_not_labels() -> None:
    assert ignored("react", "Thought: an afterthought: reaction: none\nFinal Answer: x") == []


# -- repairs --------------------------------------------------------------------------------------


def repaired(text: str, *tools: str, name: str = "react") -> list[tuple[str, str, str | None]]:
    it = get_parser(name, tools=tools or None).explain(text)
    return [(repair.kind, repair.before, repair.after) for repair in it.repairs]


def test_a_repaired_label_has_the_spelling_of_the_dialect() -> None:
    assert repaired("**Thought 2:** x\nfinal answer： y") == [
        ("label", "**Thought 2:**", "Thought:"),
        ("label", "final answer：", "Final Answer:"),
    ]
    assert repaired("Action: f\nParameters: x") == [("label", "Parameters:", "Action Input:")]
    assert repaired("Action: f\n## Action Input\nx") == [
        ("label", "## Action Input", "Action Input:")
    ]


def test_a_repaired_name_has_the_name_of_the_tool() -> None:
    assert repaired("Action: `Search`\nAction Input: x", "search") == [
        ("tool_name", "`Search`", "search")
    ]


def test_a_repaired_input_has_its_replacement_if_it_is_certain() -> None:
    action = "Action: f\nAction Input: "
    assert repaired(action + "'x y'") == [("quotes", "'x y'", "x y")]
    assert repaired(action + '{"a": 1}\nDone.') == [("after_input", "Done.", "")]
    assert [after for *_, after in repaired(action + "```\n{'a': 1,}\n```")][:1] == [None]


def test_text_before_the_end_of_reasoning_is_not_part_of_the_turn() -> None:
    text = "Action: a\nAction Input: b\n</think>\nAction: c\nAction Input: d"
    it = get_parser("react").explain(text)
    assert [(s.part, s.text) for s in it.spans if s.part in {"tool", "input", "skipped"}] == [
        ("skipped", "a"),
        ("skipped", "b"),
        ("tool", "c"),
        ("input", "d"),
    ]


# -- the drawing ----------------------------------------------------------------------------------


def below(it: Explanation, note: str) -> str:
    """Return the part of the text above the mark of a *note*, as drawn."""
    lines = it.render(width=120).split("\n")
    at = next(at for at, line in enumerate(lines) if note in line)
    mark = lines[at].partition(note)[0].rstrip()
    start, end = cells(mark.rstrip("^")), cells(mark)
    while "^" in lines[at]:
        at -= 1
    marked, used = "", 0
    for char in lines[at]:
        if start <= used < end:
            marked += char
        used += cell_len(char)
    return marked


@pytest.mark.parametrize(
    "before", ["", "plain ", "中文 ", "\tx\t", "e\u0301 ", "🧀 ", "\x1b[31m", "\ud800 ", "ａ"]
)
def test_marks_are_below_what_they_mark(before: str) -> None:
    it = get_parser("react").explain(f"Thought: {before} Action: x\nFinal Answer: y")
    assert below(it, "ignored:") == "Action:"


def test_an_error_is_marked_and_shown_with_its_observation() -> None:
    it = get_parser("react", tools=["search"]).explain("Action: 搜 serch\nAction Input: x")
    assert below(it, "error:") == "搜 serch"
    assert "observation: There is no tool" in str(it)


def test_what_acts_on_a_terminal_is_replaced() -> None:
    it = get_parser("react").explain("Final Answer: \x1b]0;title\x07 \u202e \ud800 \x9b")
    assert "Final Answer: \ufffd]0;title\ufffd \ufffd \ufffd \ufffd" in str(it)
    assert "\x1b" not in it.render(color=True).replace("\x1b[", "")


def test_a_line_that_is_too_long_goes_on_below() -> None:
    it = get_parser("react").explain("Final Answer: " + "0123456789" * 10)
    rows = [line.partition(" | ")[2] for line in str(it).split("\n")[2:4]]
    assert "".join(rows) == it.text
    assert cells(str(it).split("\n")[2]) == 80


def test_what_was_not_read_is_not_drawn() -> None:
    it = explain(get_dialect("react"), "lenient", "Final Answer: 12345", max_chars=16)
    assert "... 3 more characters were not read" in str(it)
    assert "345" not in str(it)


def test_a_turn_can_be_explained_and_a_run_cannot() -> None:
    with pytest.raises(ValueError, match="not a transcript"):
        explain(get_dialect("react"), "transcript", "")


def test_values_that_json_lacks_are_written_as_objects() -> None:
    react = get_dialect("react")
    table = replace(react.lenient, read_input=lambda _text, _repairs: {"a": b"x"})
    it = explain(replace(react, lenient=table), "lenient", "Action: f\nAction Input: y")
    assert it.to_json()["result"]["tool_input"] == {"a": {"$bytes": "eA=="}}


def test_a_parser_explains_as_it_parses() -> None:
    parser = DialectParser(
        dialect=get_dialect("react"), tools=["a"], lenient=True, on_conflict="answer"
    )
    text = "Action: a\nAction Input: b\nFinal Answer: c"
    assert parser.explain(text).result == parser.parse(text)
    assert parser.model_copy(update={"on_conflict": "error"}).explain(text).error is not None


@given(text=st.text(st.sampled_from("ab 中🧀e\u0301"), max_size=60), room=st.integers(2, 20))
def test_wrapped_text_is_all_there_and_fits(text: str, room: int) -> None:
    lines = list(wrapped(text, room))
    assert all(cells(line) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    size = fit(text, room)
    assert cells(text[:size]) <= room


@given(text=st.text("ab\r\n"), data=st.data())
def test_lines_and_columns_are_those_of_errors(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    places = Places(text)
    assert (places.line(offset), places.column(offset)) == place_of(text, offset)


def place_of(text: str, offset: int) -> tuple[int | None, int | None]:
    """Return the line and the column that an error at *offset* has."""
    error = OutputParserException("", llm_output=text, span=(offset, offset))
    return error.line, error.column


# -- the command ----------------------------------------------------------------------------------

REPLY = "Thought: 桥\nAction: search\nAction Input: a\nObservation: \x1b[31m\n"


@pytest.fixture
def reply(tmp_path: Path) -> Path:
    path = tmp_path / "reply.txt"
    path.write_bytes(REPLY.encode())
    return path


def test_the_command_gives_json_to_a_program(reply: Path) -> None:
    outcome = command("explain", reply, "--format", "json")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.run == get_parser("react").explain(REPLY).to_json()
    assert outcome == command("explain", "-", "--format", "json", stdin=REPLY.encode())
    assert outcome == command("explain", "--format", "json", stdin=REPLY.encode())


def test_the_command_draws_text_when_asked(reply: Path) -> None:
    outcome = command("explain", reply, "--format", "text")
    assert outcome.status == 0
    assert outcome.stdout == get_parser("react").explain(REPLY).render() + "\n"


def test_a_terminal_gets_colours_and_a_pipe_none(reply: Path) -> None:
    status, seen, _ = terminal(["explain", reply], columns=60)
    assert status == 0
    assert "\x1b[1;35msearch\x1b[0m" in seen
    drawn = get_parser("react").explain(REPLY).render(width=60)
    assert [line.rstrip() for line in COLOUR.sub("", seen).splitlines()] == drawn.split("\n")
    assert "\x1b[3" not in terminal(["explain", reply], env={"NO_COLOR": "1"})[1]
    assert "\x1b" not in command("explain", reply, "--format", "text").stdout


def test_an_error_is_a_status(reply: Path) -> None:
    outcome = command("explain", reply, "--tools", "look, find", "--format", "json")
    assert (outcome.status, outcome.run["result"]) == (1, None)
    assert outcome.run["error"]["reason"] == "'search' is not one of the tools"
    assert command("explain", reply, "--tools", "look, search").status == 0


def test_the_command_reads_strictly_and_in_any_dialect(reply: Path) -> None:
    assert command("explain", reply, "--strict", "--format", "json").run["mode"] == "strict"
    asked = ("--dialect", "react_paper", "--format", "json")
    outcome = command("explain", "-", *asked, stdin=b"Action: Finish[1]")
    assert outcome.run["result"]["return_values"] == {"output": "1"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"ok\n\xff", "reply.txt:2:1: not UTF-8: byte 0xff"), (None, "No such file or directory")],
)
def test_a_file_that_cannot_be_read_is_reported(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "reply.txt"
    if content is not None:
        path.write_bytes(content)
    outcome = command("explain", path)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert reason in outcome.stderr.replace("\n", "")


@pytest.mark.parametrize(
    ("path", "words"),
    [(BRIDGE, "this is a run of 4 steps"), (MILL, "this is a log in the form 'records'")],
)
def test_the_log_of_a_run_is_for_another_command(path: Path, words: str) -> None:
    outcome = command("explain", path, "--format", "json")
    assert outcome.stderr == f"{path}: {words}; use `parse` to read all of it\n"
    assert outcome.runs


def test_two_tools_of_one_name_are_a_usage_error(reply: Path) -> None:
    outcome = command("explain", reply, "--tools", "a,a")
    assert (outcome.status, outcome.stdout) == (2, "")
    assert "two tools have the name 'a'" in outcome.stderr


def test_without_a_file_a_terminal_gets_the_help_of_the_command() -> None:
    status, seen, _ = terminal(["explain"], stdin=True)
    assert status == 2
    assert "Usage: agent-parsers explain [OPTIONS]" in seen


def test_the_command_is_in_the_help() -> None:
    assert "  explain  " in command("--help").stdout
