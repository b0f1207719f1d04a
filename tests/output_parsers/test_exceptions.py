import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from traceback import format_exception

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.exceptions import OutputParserException as LangChainException
from rich.cells import cell_len

from output_parsers import OutputParserException

TEXT = "Thought: no\r\nAction: search\nAction Input: rain\nFinal Answer: 42\n"
ANSWER = TEXT.index("Final Answer:")


def error_at(start: int, end: int, text: str = TEXT) -> OutputParserException:
    return OutputParserException("wrong", llm_output=text, span=(start, end))


def test_it_is_a_value_error_with_langchains_arguments_in_langchains_order() -> None:
    error = OutputParserException("wrong", "try again", "the text", True)
    assert isinstance(error, ValueError)
    assert (error.observation, error.llm_output, error.send_to_llm) == (
        "try again",
        "the text",
        True,
    )
    assert error.span == (0, len("the text"))


def test_the_message_stays_exactly_as_given() -> None:
    message = "Could not parse LLM output: `x`"
    assert str(OutputParserException(message)) == message
    assert str(LangChainException(message)).startswith(message)  # which appends a link


def test_an_exception_as_error_gives_its_message() -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads("{")
    ours, theirs = OutputParserException(caught.value), LangChainException(caught.value)
    assert str(ours) == str(theirs) == str(caught.value)
    assert ours.args == theirs.args


def test_a_reason_may_say_what_the_message_does_not() -> None:
    error = OutputParserException("no: x", llm_output="x", span=(0, 1), reason="no number")
    for same in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert str(same) == "no: x"
        assert same.reason == "no number"
        assert same.pointer().startswith("no number\n")


@pytest.mark.parametrize("given", [{}, {"observation": "o"}, {"llm_output": "t"}])
def test_sending_to_the_model_needs_something_to_send(given: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="required") as ours:
        OutputParserException("wrong", send_to_llm=True, **given)
    with pytest.raises(ValueError, match="required") as theirs:
        LangChainException("wrong", send_to_llm=True, **given)
    assert str(ours.value) == str(theirs.value)
    assert type(ours.value) is ValueError


@pytest.mark.parametrize(
    ("start", "line", "column"),
    [
        (0, 1, 1),
        (TEXT.index("\r"), 1, 12),
        (TEXT.index("\n"), 1, 13),
        (TEXT.index("Action"), 2, 1),
        (TEXT.index("search"), 2, 9),
        (ANSWER, 4, 1),
        (len(TEXT), 5, 1),
        (len(TEXT) + 9, 5, 1),
        (-1, 1, 1),
    ],
)
def test_line_and_column_count_from_one(start: int, line: int, column: int) -> None:
    error = error_at(start, start + 1)
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize("given", [{}, {"span": (0, 1)}])
def test_without_a_text_there_is_no_place(given: dict[str, object]) -> None:
    error = OutputParserException("wrong\nin detail", **given)  # type: ignore[arg-type]
    assert error.line is None
    assert error.column is None
    assert error.reason == "wrong\nin detail"
    assert error.pointer() == "wrong"


def test_a_span_lies_within_the_text() -> None:
    for raw, span in ((None, (0, 4)), ((2, 9), (2, 4)), ((-1, 2), (0, 2)), ((3, 1), (3, 3))):
        assert OutputParserException("wrong", llm_output="text", span=raw).span == span


def test_the_reason_leaves_out_the_place_and_nothing_else() -> None:
    placed = OutputParserException(
        "two answers (line 4, column 1)", llm_output=TEXT, span=(ANSWER, ANSWER + 13)
    )
    assert placed.reason == "two answers"
    assert str(placed) == "two answers (line 4, column 1)"
    assert error_at(0, 1).reason == "wrong"
    assert OutputParserException("ends in space ").reason == "ends in space "


def test_the_pointer_marks_the_span() -> None:
    assert error_at(ANSWER, ANSWER + 13).pointer() == (
        "wrong\n  --> line 4, column 1\n4 | Final Answer: 42\n  | ^^^^^^^^^^^^^"
    )


def test_the_pointer_stays_in_the_line_where_a_span_begins() -> None:
    start = TEXT.index("search")
    assert error_at(start, len(TEXT)).pointer().splitlines()[2:] == [
        "2 | Action: search",
        "  |         ^^^^^^",
    ]


def test_the_pointer_marks_a_place_between_characters() -> None:
    assert error_at(len(TEXT), len(TEXT)).pointer().splitlines()[1:] == [
        "  --> line 5, column 1",
        "5 |",
        "  | ^",
    ]


def test_the_pointer_shows_the_part_of_a_long_line_where_the_span_is() -> None:
    text = "a" * 5_000 + "HERE" + "b" * 5_000
    headline, place, line, mark = error_at(5_000, 5_004, text).pointer().splitlines()
    assert (headline, place) == ("wrong", "  --> line 1, column 5001")
    assert len(line) == 100
    assert line.startswith("1 | …aaa")
    assert line.endswith("bbb…")
    assert line[mark.index("^") : mark.rindex("^") + 1] == "HERE"


def test_the_pointer_obeys_no_escape_sequence_of_the_model() -> None:
    rendered = error_at(0, 3, "\x1b[2J\t\u202eab\udc80 漢").pointer()
    assert "\x1b" not in rendered
    assert "\u202e" not in rendered
    assert "漢" in rendered
    rendered.encode()


@given(st.text(), st.text(), st.integers(-3, 300), st.integers(-3, 300), st.integers(0, 300))
def test_the_pointer_of_any_error_fits_a_terminal(
    reason: str, text: str, start: int, end: int, padding: int
) -> None:
    error = OutputParserException(reason, llm_output="x" * padding + text, span=(start, end))
    lines = error.pointer().split("\n")
    assert len(lines) == 4
    assert max(map(cell_len, lines)) <= 100
    assert "^" in lines[3]


@given(
    st.text("ab漢字é", max_size=20),
    st.text("ab漢字", min_size=1, max_size=9),
    st.text("ab漢字", max_size=9),
)
def test_the_marks_stand_below_the_span_in_a_terminal(before: str, span: str, after: str) -> None:
    error = error_at(len(before), len(before) + len(span), before + span + after)
    line, marks = error.pointer().split("\n")[2:]
    assert cell_len(line[: len("1 | ") + len(before)]) == marks.index("^")
    assert marks.count("^") == cell_len(span)


@given(st.text(alphabet="ab\r\n"), st.integers(0, 30))
def test_line_and_column_lead_back_to_the_span(text: str, start: int) -> None:
    error = error_at(start, start + 1, text)
    assert error.line is not None
    assert error.column is not None
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[: error.line - 1])
    assert before + error.column - 1 == min(start, len(text))


@pytest.mark.parametrize(
    "round_trip",
    [
        copy.copy,
        copy.deepcopy,
        *(
            lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
)
def test_it_copies_and_pickles_with_all_it_has(round_trip) -> None:  # type: ignore[no-untyped-def]
    error = OutputParserException("wrong", "again", TEXT, True, span=(ANSWER, ANSWER + 13))
    error.add_note("seen in the log")
    twin = round_trip(error)
    assert type(twin) is OutputParserException
    assert (str(twin), twin.args, vars(twin)) == (str(error), error.args, vars(error))
    assert (twin.line, twin.column, twin.pointer()) == (error.line, error.column, error.pointer())


def test_an_exception_as_error_survives_pickling() -> None:
    twin = pickle.loads(pickle.dumps(OutputParserException(KeyError("a"), llm_output="b")))
    assert repr(twin.args) == repr((KeyError("a"),))
    assert twin.llm_output == "b"


# -- in a traceback ------------------------------------------------------------------------------

PLACE = "\n  --> line 4, column 1\n4 | Final Answer: 42\n  | ^^^^^^^^^^^^^^^^\n"


def shown(error: BaseException) -> str:
    return "".join(format_exception(error))


def raised(act: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is
        act()
    return caught.value


def chained(cause: Exception) -> Exception:
    def act() -> None:
        raise RuntimeError("no answer") from cause

    return raised(act)


def again(error: Exception) -> Exception:
    def act() -> None:
        with suppress(TypeError):
            raise error

    return raised(act)


def said_twice(cause: OutputParserException) -> Exception:
    def act() -> None:
        raise OutputParserException("worse", llm_output=TEXT, span=cause.span) from cause

    return raised(act)


@pytest.mark.parametrize(
    "way",
    [
        lambda error: error,
        again,
        lambda error: again(again(error)),
        chained,
        said_twice,
        copy.copy,
        lambda error: pickle.loads(pickle.dumps(error)),
        lambda error: pickle.loads(pickle.dumps(again(error))),
    ],
)
@pytest.mark.parametrize("is_asked_before", [False, True])
def test_a_traceback_shows_the_place_once(
    way: Callable[[Exception], Exception], is_asked_before: bool
) -> None:
    error = error_at(ANSWER, ANSWER + 16)
    if is_asked_before:
        assert shown(error).count(PLACE) == 1
    assert shown(way(error)).count(" --> ") == shown(way(error)).count(PLACE) == 1


def test_a_traceback_of_a_group_shows_each_place() -> None:
    group = ExceptionGroup("two", [error_at(0, 7), error_at(ANSWER, ANSWER + 16)])
    lines = [line.strip(" |") for line in shown(again(group)).splitlines()]
    assert [line for line in lines if "-->" in line] == [
        "--> line 1, column 1", "--> line 4, column 1",
    ]  # fmt: skip


def test_a_traceback_does_not_repeat_the_reason_but_gives_one_that_is_not_said() -> None:
    error = error_at(ANSWER, ANSWER + 16)
    assert shown(error) == f"output_parsers.exceptions.OutputParserException: wrong{PLACE}"
    other = OutputParserException("no: x", llm_output="x", reason="expected a number")
    assert shown(other).splitlines()[1:3] == ["expected a number", "  --> line 1, column 1"]


def test_a_note_of_the_caller_follows_the_place() -> None:
    error = error_at(ANSWER, ANSWER + 16)
    error.add_note("in the second turn")
    assert shown(error).endswith(f"{PLACE}in the second turn\n")
    assert shown(pickle.loads(pickle.dumps(error))) == shown(error)


def test_a_traceback_without_a_text_has_no_place() -> None:
    for error in (OutputParserException("wrong"), OutputParserException("wrong", "o", "")):
        assert shown(error) == "output_parsers.exceptions.OutputParserException: wrong\n"


def test_an_exception_that_is_caught_has_written_no_place() -> None:
    error = again(error_at(0, 7))
    str(error), repr(error), pickle.dumps(error), copy.copy(error)
    assert "__notes__" not in vars(error)


def test_an_uncaught_error_shows_the_place_once() -> None:
    code = "from agent_parsers import get_parser; get_parser('react').parse('no idea')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("\n  --> line 1, column 1\n1 | no idea\n  | ^^^^^^^\n")
    assert done.stderr.count("-->") == 1


def test_an_observation_may_be_written_when_it_is_asked_for() -> None:
    written: list[OutputParserException] = []

    def write(error: OutputParserException) -> str:
        written.append(error)
        return f"not {error.llm_output}"

    error = OutputParserException("wrong", "at first", "text")
    error.observe_later(write)
    assert not written
    assert (error.observation, error.observation) == ("not text", "not text")
    assert written == [error]
    error.observe_later(write)
    error.observation = "set"
    assert error.observation == "set"


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_what_writes_an_observation_is_not_copied(
    again: Callable[[OutputParserException], OutputParserException],
) -> None:
    error = OutputParserException("wrong", llm_output="text")
    error.observe_later(lambda error: f"not {error.llm_output}")
    assert vars(again(error)) == {**vars(error), "observation": "not text"}
