"""`assert_same_events`: streams compared, and how they differ."""

from dataclasses import replace

import pytest

from agent_parsers import ActionComplete, AgentAction, OutputParserException, get_parser
from agent_parsers.events import MarkerSeen, StepFailed
from agent_parsers.testing import assert_same_events

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
