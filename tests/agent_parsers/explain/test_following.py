"""A stream in colours as it arrives, and the command that shows it."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import cuts, texts
from agent_parsers import Dialect, OutputParserException, StreamParser, get_dialect, get_parser
from agent_parsers.explain.following import Following
from agent_parsers.explain.screen import STYLES
from agent_parsers.testing.chunks import cut
from output_parsers.printable import printable

from ...helpers.command_line import COMMAND, command, environment, terminal
from ...helpers.html_pages import sharp_texts
from ...helpers.stories import every_turn_mode

if TYPE_CHECKING:
    from pathlib import Path

    from agent_parsers.engine.tables.modes import Mode

COLOUR = re.compile(r"\x1b\[[\d;]*m")


def shown(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


@every_turn_mode
@given(data=st.data())
def test_all_text_is_shown_once_and_in_order(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode)) + data.draw(sharp_texts)
    size = data.draw(st.integers(1, 9))
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    for color in (False, True):
        following = Following(StreamParser(dialect, mode=mode), color=color)
        pieces = [following.feed(chunk) for chunk in chunks]
        drawn = "".join([*pieces, following.close()])
        assert following.text == text
        assert (COLOUR.sub("", drawn) if color else drawn) == shown(text)


def test_only_what_may_change_is_held_back() -> None:
    following = Following(StreamParser(get_dialect("react"), mode="lenient"), color=True)
    assert following.feed("Thought: I look") == "\x1b[1mThought: \x1b[0m\x1b[36mI look\x1b[0m"
    assert following.feed("\nAct") == ""
    assert following.feed("ion: sea") == "\n\x1b[1mAction: \x1b[0m"
    assert f"\x1b[{STYLES['tool']}msea" in following.feed("rch\n") + following.close()


def test_a_text_that_is_too_long_is_shown_all_the_same() -> None:
    following = Following(
        StreamParser(get_dialect("react"), mode="lenient", max_chars=9), color=False
    )
    drawn = [following.feed("Thought: "), following.feed("hm"), following.feed("!")]
    assert "".join([*drawn, following.close()]) == "Thought: hm!"


TEXT = "Thought: hm\n**Action:** search\nAction Input: \x1b[2Jlakes\n"


def test_it_ends_with_the_notes_and_the_result() -> None:
    outcome = command("explain", "--follow", "--dialect", "react", stdin=TEXT.encode())
    assert outcome.status == 0
    assert outcome.stdout == (
        "Thought: hm\n**Action:** search\nAction Input: \ufffd[2Jlakes\n\n"
        "line 2, repaired: read '**Action:**' as the label 'action'\n"
        "tool: search\ninput: \ufffd[2Jlakes\n"
    )


def test_it_ends_with_the_error() -> None:
    outcome = command("explain", "--follow", "--dialect", "react", stdin=b"so it is")
    assert outcome.status == 1
    assert "so it is\n\nerror: expected an Action or a Final Answer (line 1" in outcome.stdout


def test_text_that_is_not_utf_8_ends_it() -> None:
    outcome = command("explain", "--follow", "--dialect", "react", stdin=b"Thought: \xff")
    assert outcome.status == 1
    assert "not UTF-8: byte 0xff" in outcome.stderr
    assert command("explain", "--follow", "--dialect", "react", "/none.txt").status == 1


@pytest.mark.parametrize("option", [["--format", "json"], ["--html", "x.html"]])
def test_it_has_one_view(option: list[str]) -> None:
    outcome = command("explain", "--follow", "--dialect", "react", *option, stdin=b"x")
    assert outcome.status == 2
    assert "only for use without --follow" in outcome.stderr


def test_it_has_colours_in_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "reply.txt"
    path.write_text(TEXT)
    status, seen, _ = terminal(["explain", "--follow", "--dialect", "react", path])
    assert status == 0
    assert "\x1b[1;35msearch" in seen
    assert "\x1b[2J" not in seen
    assert COLOUR.sub("", seen) == command("explain", "--follow", "--dialect", "react", path).stdout


def test_text_is_shown_before_the_stream_ends() -> None:
    ran = subprocess.Popen(
        [*COMMAND, "explain", "--follow", "--dialect", "react"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )
    assert ran.stdin is not None
    assert ran.stdout is not None
    ran.stdin.write("Thought: größer\nand".encode()[:12])  # within a character
    ran.stdin.flush()
    seen = b""
    while len(seen) < len("Thought: gr"):
        seen += os.read(ran.stdout.fileno(), 99)
    rest, _ = ran.communicate("Thought: größer\nFinal Answer: 3".encode()[12:], timeout=60)
    assert (seen + rest).decode() == "Thought: größer\nFinal Answer: 3\n\nanswer: 3\n"
    assert ran.returncode == 0


# -- what a stream emits after each chunk, what it holds back, and why -----------------------------


@every_turn_mode
@given(data=st.data())
def test_it_tells_what_the_stream_does(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode))
    chunks = list(cut(text, data.draw(cuts())))
    parser = get_parser(dialect, lenient=mode == "lenient")
    stream = parser.stream_parser()
    expected = [event for chunk in chunks for event in stream.feed(chunk)]
    error = None
    try:
        expected += stream.close()
    except OutputParserException as caught:
        expected += stream.last_events
        error = caught
    told = list(parser.explain_chunks(chunks))
    assert [event for row in told for event in row.events] == expected
    assert [row.text for row in told] == [*chunks, ""]
    assert str(told[-1].error) == str(error)


@every_turn_mode
@given(data=st.data())
def test_what_is_held_back_is_told_later_and_has_a_reason(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode))
    *told, _ = get_parser(dialect, lenient=mode == "lenient").explain_chunks(text)
    at = 0
    for row in told:
        start, end = row.held
        assert at <= start <= end == row.span[1]
        assert bool(row.reason) == (start < end)
        at = start


@pytest.mark.parametrize(
    ("dialect", "text", "reason"),
    [
        ("react", "Thought: hm\nAct", "it may become 'Action:' or 'Action Input:'"),
        ("xml", "<tool>find</tool><tool_input>a ", "white space is text only if more text follows"),
        ("react", "Action: find", "the name of the tool may continue"),
        ("react", "Final Answer: ", "white space after a marker belongs to the marker"),
        ("hermes", "Hm. <tool_", "it may become '<tool_call>'"),
        ("hermes", '<tool_call>{"na', "its meaning is known only when more text has arrived"),
    ],
)
def test_the_reasons(dialect: str, text: str, reason: str) -> None:
    first, _ = get_parser(dialect).explain_chunks([text])
    assert reason in first.reason


def test_a_text_that_is_too_long_ends_in_its_error() -> None:
    *_, last = get_parser("react", max_chars=12).explain_chunks(["Thought: ", "x" * 20, "y"])
    assert last.text == "y"
    assert last.error is not None
    assert "12" in str(last.error)
