"""Chunks that only go on with a text are read in a short way, and nobody can tell."""

import pytest

from agent_parsers import get_dialect, list_dialects
from agent_parsers.engine.reading.collecting.collector import Collector
from agent_parsers.engine.reading.scanner import Scanner
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.forms.form import Written
from agent_parsers.testing.trials.pieces import rows, sample_action
from agent_parsers.testing.trials.stories import cut
from output_parsers import OutputParserException

VALUE = "an old bridge, its arches and its keeper's house and all that belongs to them " * 8
ODD = {
    "an end that begins right before white space": (
        "glm45",
        [
            "<tool_call>look\n<arg_key>q</arg_key>\n<arg_value>lakes",
            " and </a\n",
            "bove </arg_value>",
        ],
    ),
    "empty chunks, which are no white space": (
        "hermes",
        ["<think>He asks for `think>` and `", "", "</", "", "think>", "", "`"],
    ),
    "an end that begins with white space": ("smolagents_code", [*"word\n<code 1 + 2\n```py and"]),
}


def turn(name: str) -> str:
    """Return a turn of the dialect with a long value in its call."""
    dialect = get_dialect(name)
    action = sample_action(dialect)
    given = action.tool_input
    is_text = isinstance(given, str) or not given
    return dialect.write(
        Written("", action.tool, VALUE if is_text else {**given, next(iter(given)): VALUE})
    )


def told(name: str, mode: str, chunks: list[str]) -> list[object]:
    """Return what a stream shows after each chunk, and its end."""
    parser = StreamParser(get_dialect(name), mode=mode)
    seen: list[object] = [(parser.feed(chunk), parser.content, parser.thought) for chunk in chunks]
    try:
        seen.append((parser.close(), parser.result))
    except OutputParserException as error:
        seen.append((parser.last_events, str(error), error.span, error.observation))
    return seen


def same_without_it(name: str, mode: str, chunks: list[str]) -> None:
    """Check that what is told does not depend on the short way."""
    short = told(name, mode, chunks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scanner, "_only_text", lambda _self, _chunk: None)
        assert told(name, mode, chunks) == short


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("name", sorted(list_dialects()))
def test_events_are_the_same_without_the_short_way(name: str, size: int) -> None:
    """Each chunk gives the same events, however the chunks before it were read."""
    for mode in ("strict", "lenient"):
        texts = rows(get_dialect(name), mode)
        for text in (turn(name), *texts[:: len(texts) // 12 or 1]):
            same_without_it(name, mode, list(cut(text, [size])))


@pytest.mark.parametrize("case", sorted(ODD))
def test_odd_chunks_are_left_to_the_reader(case: str) -> None:
    """What may end a value counts where white space of another chunk stands beside it."""
    name, chunks = ODD[case]
    for mode in ("strict", "lenient"):
        same_without_it(name, mode, chunks)


@pytest.mark.parametrize("name", sorted(list_dialects()))
def test_a_long_value_takes_the_short_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of a call is not fed the chunks of a long value one by one."""
    fed: list[str] = []
    take = Collector.take

    def counted(self: Collector, events: list, state: object, text: str, at: int) -> None:
        fed.append(text)
        take(self, events, state, text, at)

    chunks = list(cut(turn(name), [5]))
    monkeypatch.setattr(Collector, "take", counted)
    parser = StreamParser(get_dialect(name))
    for chunk in chunks:
        parser.feed(chunk)
    assert len(fed) < len(chunks) / 2
