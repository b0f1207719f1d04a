"""A thought that is still open at the end, with or without half a call in it, leaves no answer."""

from __future__ import annotations

import pytest

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser, list_dialects

IN_MESSAGES = {"beam", "harmony", "inkling", "muse_glimmer", "muse_spark"}
"""Their thoughts are messages of their own, and words before the next message are an answer."""


def ring(bell: str) -> str:
    """Ring a bell."""
    return bell


def mark_of_thoughts(name: str) -> str:
    """Return what opens a thought that something closes; empty if the dialect has none."""
    form = get_parser(name).dialect.form
    if form is None or form.thought is None or name in IN_MESSAGES:
        return ""
    opener, closer = form.thought
    return opener if closer.strip() and not opener.strip().endswith(":") else ""


DIALECTS = [name for name in list_dialects() if mark_of_thoughts(name)]


def test_most_dialects_have_such_thoughts() -> None:
    assert len(DIALECTS) > 50


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("ended", ["unknown", "stop"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_open_thought_leaves_no_answer(dialect: str, ended: str, *, lenient: bool) -> None:
    parser = get_parser(dialect, tools=[ring], lenient=lenient)
    try:
        call = parser.render(AgentAction("ring", {"bell": "big"}, ""))
    except ValueError:
        pytest.skip("its calls are of a tool of its own")
    opener = call[: call.find("ring")]
    inside = ["hm", opener, f"{opener}hm", f"{opener}]", call[: len(call) // 2]]
    inside += [f"{call} hm", f"{call}\n{opener}"]
    for lead in ("", "It is big.\n", "It is big. "):
        for text in (f"{lead}{mark_of_thoughts(dialect)}{each}" for each in inside):
            for size in (len(text), 1, 3):
                stream = parser.stream_parser()
                try:
                    for start in range(0, len(text), size):
                        stream.feed(text[start : start + size])
                    stream.close(ended=ended)
                except OutputParserException:
                    continue
                assert not isinstance(stream.result, AgentFinish), text
