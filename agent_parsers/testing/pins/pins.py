"""What is pinned to a file: a prompt format, the reading of a transcript, a stream of events.

::

    def test_prompt(snapshot_prompt: SnapshotPrompt) -> None:
        snapshot_prompt("react", tools=[search, calculate])

A file is named after the test, or as the caller says; see `ReadableSnapshots`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from agent_parsers.engine.grammar.dialect import Dialect
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.registry.dialects_by_name import get_parser
from agent_parsers.runs.transcript_parser import parse_transcripts
from agent_parsers.testing.pins.difference import difference
from agent_parsers.testing.pins.pages import Replies, events_page, prompt_page
from agent_parsers.testing.pins.readable import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from syrupy.assertion import SnapshotAssertion

    from agent_parsers.engine.writing.render import Step
    from agent_parsers.testing.pins.steps import AnyParser
    from agent_parsers.toolset import Tools
    from outputs import BaseMessage

__all__ = ["SnapshotEvents", "SnapshotPrompt", "SnapshotTranscript", "SnapshotValue"]

_QUESTION: Final = "How old is the oldest bridge of Bern?"


class _Pin:
    """Compares what is with what is pinned.

    Args:
        snapshot: What is pinned by this test.
    """

    def __init__(self, snapshot: SnapshotAssertion) -> None:
        self._snapshot = snapshot

    def _compare(self, now: str, name: str | None) -> None:
        __tracebackhide__ = True
        snapshot = self._snapshot
        if snapshot(name=name) == now:
            return
        result = snapshot.executions[snapshot.num_executions - 1]
        if result.exception is not None:
            raise result.exception
        file = Path(result.snapshot_location)
        root = result.test_location.item.config.rootpath
        place = file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)
        if result.recalled_data is None:
            pytest.fail(
                f"nothing is pinned in {place} yet: write it by pytest --snapshot-update,"
                " and look at it"
            )
        lines = "\n".join(difference(str(result.recalled_data), now))
        pytest.fail(
            f"this is not what is pinned in {place} (- pinned, + now)\n\n{lines}\n\n"
            "If it is what you want: pytest --snapshot-update"
        )


class SnapshotPrompt(_Pin):
    """Pins a prompt format: what a model is told, and what is made of what it writes, in one file.

    It has the whole prompt after some steps, the stop sequences, and replies, each with what it
    parses to, or with the error and what the model is told of it.
    """

    def __call__(
        self,
        parser: str | Dialect | AnyParser,
        *,
        tools: Tools | None = None,
        question: str = _QUESTION,
        steps: Sequence[Step] | None = None,
        replies: Replies | None = None,
        name: str | None = None,
    ) -> None:
        """Compare the format with what is pinned.

        Args:
            parser: A parser, or the name of one or a dialect, to read leniently.
            tools: The tools there are, unless the parser has them.
            question: What the agent is asked.
            steps: What it has done so far; by default calls of the first two tools.
            replies: What the model may write: by title, or without. By default an action, an
                answer, text without a form and a tool that there is not.
            name: Path of the file below the folder of snapshots, without its suffix.

        Raises:
            TypeError: Tools are given beside a parser, which has its own.
            ValueError: There is no such dialect.
        """
        __tracebackhide__ = True
        page = prompt_page(_parser(parser, tools), question, steps, replies)
        self._compare(page, name)


class SnapshotTranscript(_Pin):
    """Pins what the transcript of a run is read as."""

    def __call__(
        self,
        transcript: str | Path,
        *,
        dialect: str | Dialect = "react",
        name: str | None = None,
    ) -> None:
        """Compare what is read with what is pinned.

        Args:
            transcript: The text of one or several runs, or the path of a file in UTF-8 that has
                it; a relative path is one below pytest's root.
            dialect: How it is written, by name or as a value.
            name: Path of the file below the folder of snapshots, without its suffix.

        Raises:
            OSError: The file cannot be read.
            OutputParserException: There is no step in the text.
            ValueError: There is no such dialect.
        """
        __tracebackhide__ = True
        if isinstance(transcript, Path):
            root = self._snapshot.test_location.item.config.rootpath
            transcript = (root / transcript).read_text(encoding="utf-8")
        runs = parse_transcripts(transcript, dialect=dialect)
        self._compare(readable(runs[0] if len(runs) == 1 else runs), name)


class SnapshotEvents(_Pin):
    """Pins the events of replies as they are read while they come in."""

    def __call__(
        self,
        parser: str | Dialect | AnyParser,
        replies: str | BaseMessage | Replies,
        *,
        tools: Tools | None = None,
        name: str | None = None,
    ) -> None:
        """Compare the events with what is pinned.

        Neighbouring deltas are joined, so that it does not matter how a text is cut; that it does
        not is checked for a text in one piece, in pieces of seven characters and character by
        character.

        Args:
            parser: A parser, or the name of one or a dialect, to read leniently.
            replies: What the model wrote, or several replies: by title, or without.
            tools: The tools there are, unless the parser has them.
            name: Path of the file below the folder of snapshots, without its suffix.

        Raises:
            AssertionError: How the text is cut does matter.
            TypeError: Tools are given beside a parser, which has its own.
            ValueError: There is no such dialect.
        """
        __tracebackhide__ = True
        self._compare(events_page(_parser(parser, tools), replies), name)


class SnapshotValue(_Pin):
    """Pins any value."""

    def __call__(self, value: object, *, name: str | None = None) -> None:
        """Compare *value* with what is pinned.

        Args:
            value: A text, which is pinned as it is, or what `readable` takes.
            name: Path of the file below the folder of snapshots, without its suffix.

        Raises:
            TypeError: The value does not tell what it is, see `readable`.
        """
        __tracebackhide__ = True
        self._compare(readable(value), name)


def _parser(parser: str | Dialect | AnyParser, tools: Tools | None) -> AnyParser:
    if isinstance(parser, str):
        return get_parser(parser, tools=tools)
    if isinstance(parser, Dialect):
        return dialect_parser(parser, lenient=True, tools=tools)
    if tools is not None:
        raise TypeError("this parser has its own tools; give a dialect to give tools with it")
    return parser
