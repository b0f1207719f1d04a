"""The snapshot fixtures: prompt formats, transcripts, streams of events, and other values.

::

    def test_prompt(snapshot_prompt: SnapshotPrompt) -> None:
        snapshot_prompt("react", tools=[search, calculate])

A file is named after the test or by the caller; see `ReadableSnapshots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

try:
    import pytest
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'the snapshots need pytest and syrupy: pip install "agent-parsers[testing]"',
        name=error.name,
    ) from error

from agent_parsers import Dialect, get_parser
from agent_parsers.core import AutoParser
from agent_parsers.testing.snapshots.pages import (
    AnyParser,
    Replies,
    chain_page,
    events_page,
    output_page,
    prompt_page,
    run_page,
)
from agent_parsers.testing.snapshots.readable import difference, readable
from agent_parsers.transcripts import parse_transcripts
from output_parsers import BaseOutputParser

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from agent_parsers.core import Step
    from agent_parsers.toolset import Tools
    from outputs import BaseMessage

_QUESTION: Final = "How old is the oldest bridge of Bern?"


class _SnapshotFixture:
    """Compares a text with a snapshot, by the ``snapshot`` fixture of the test."""

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
                f"there is no snapshot in {place} yet: write it with pytest --snapshot-update,"
                " and review it"
            )
        lines = "\n".join(difference(str(result.recalled_data), now))
        pytest.fail(
            f"this differs from the snapshot in {place} (- snapshot, + now)\n\n{lines}\n\n"
            "If the change is intended, run pytest --snapshot-update"
        )


class SnapshotPrompt(_SnapshotFixture):
    """Compares a prompt format with its snapshot: the prompt, and the results of parsing replies.

    The snapshot shows the whole prompt after some steps, the stop sequences, and replies, each with
    the result of parsing it, or with the error and the observation for the model.
    """

    def __call__(
        self,
        parser: str | Dialect | AnyParser | BaseOutputParser[Any] | Any,
        *,
        tools: Tools | None = None,
        question: str = _QUESTION,
        steps: Sequence[Step] | None = None,
        replies: Replies | None = None,
        run: Any = None,
        step: int = 1,
        system: str = "",
        inputs: Any = None,
        name: str | None = None,
    ) -> None:
        """Compare the format with the snapshot.

        Args:
            parser: A parser; or a dialect or the name of a parser, which is read in lenient mode.
                Of an output parser, the snapshot shows the instructions, and what it makes of
                *replies*. A parser that `as_langchain` returned is shown as the one that it wraps.
                Or a chain, ours or LangChain's: a prompt, a model, which is not asked, and a
                parser; the snapshot shows the prompt, and what it makes of *replies*.
            tools: The tools; leave them out if *parser* is a parser, which has its own.
            question: The question for the agent.
            steps: The steps so far; by default calls of the first two tools.
            replies: Replies of the model, a mapping by title or a list. By default an action, an
                answer, text in no known format, and a call of an unknown tool.
            run: A run, of `run_agent` or of a log; then the snapshot shows the prompt that led to
                one of its steps, and what the model wrote.
            step: The number of that step, from 1.
            system: Text before the instructions, as `run_agent` takes it.
            inputs: What a chain is invoked with.
            name: Path of the file below the folder of snapshots, without the suffix.

        Raises:
            TypeError: Both a parser and *tools* are given, a chain without *inputs*, or *system*
                for a chain or an output parser, which have none.
            ValueError: There is no such dialect or step, or a chain without a prompt.
        """
        __tracebackhide__ = True
        given: Any = getattr(parser, "parser", parser)  # of one that wraps it for LangChain
        is_chain = isinstance(getattr(given, "steps", None), list)
        is_output = isinstance(given, BaseOutputParser) and not hasattr(given, "render_prompt")
        if system and (is_chain or is_output):
            raise TypeError("system= is for the prompt of an agent: a chain has its own")
        if is_chain:
            if inputs is None:
                raise TypeError("pass the input of the chain, as in inputs={'question': …}")
            page = chain_page(given.steps, inputs, replies)
        elif run is not None:
            page = run_page(_parser(given, tools), run, step, system)
        elif is_output:
            page = output_page(given, replies)
        else:
            page = prompt_page(_parser(given, tools), question, steps, replies, system)
        self._compare(page, name)


class SnapshotTranscript(_SnapshotFixture):
    """Compares the runs read from a transcript with their snapshot."""

    def __call__(
        self,
        transcript: str | Path,
        *,
        dialect: str | Dialect = "react",
        name: str | None = None,
    ) -> None:
        """Compare the runs in *transcript* with the snapshot.

        Args:
            transcript: The text of one or several runs, or the path of a file with the text in
                UTF-8; a relative path is below pytest's root.
            dialect: The dialect of the transcript, or its name.
            name: Path of the file below the folder of snapshots, without the suffix.

        Raises:
            OSError: The file cannot be read.
            OutputParserException: The text has no steps.
            ValueError: There is no such dialect.
        """
        __tracebackhide__ = True
        if isinstance(transcript, Path):
            root = self._snapshot.test_location.item.config.rootpath
            transcript = (root / transcript).read_text(encoding="utf-8")
        runs = parse_transcripts(transcript, dialect=dialect)
        self._compare(readable(runs[0] if len(runs) == 1 else runs), name)


class SnapshotEvents(_SnapshotFixture):
    """Compares the events that streamed replies yield with their snapshot."""

    def __call__(
        self,
        parser: str | Dialect | AnyParser,
        replies: str | BaseMessage | Replies,
        *,
        tools: Tools | None = None,
        name: str | None = None,
    ) -> None:
        """Compare the events with the snapshot.

        Neighbouring deltas are joined, so that the events do not depend on how a text is cut. This
        is checked for the text in one piece, in chunks of seven characters, and character by
        character.

        Args:
            parser: A parser; or a dialect or the name of a parser, which is read in lenient mode.
            replies: One reply of the model, or several: a mapping by title, or a list.
            tools: The tools; leave them out if *parser* is a parser, which has its own.
            name: Path of the file below the folder of snapshots, without the suffix.

        Raises:
            AssertionError: The events depend on how the text is cut.
            TypeError: Both a parser and *tools* are given.
            ValueError: There is no such dialect.
        """
        __tracebackhide__ = True
        self._compare(events_page(_parser(parser, tools), replies), name)


class SnapshotValue(_SnapshotFixture):
    """Compares any value with its snapshot."""

    def __call__(self, value: object, *, name: str | None = None) -> None:
        """Compare *value* with the snapshot.

        Args:
            value: A text, which is stored unchanged, or any value that `readable` accepts.
            name: Path of the file below the folder of snapshots, without the suffix.

        Raises:
            TypeError: The value, or a part of it, has no `repr` of its own; see `readable`.
        """
        __tracebackhide__ = True
        self._compare(readable(value), name)


def _parser(parser: str | Dialect | AnyParser, tools: Tools | None) -> AnyParser:
    if isinstance(parser, str):
        made = get_parser(parser, tools=tools)
        if not isinstance(made, AutoParser):
            return made
        raise ValueError('"auto" has no format to compare: name a dialect')
    if isinstance(parser, Dialect):
        return get_parser(parser, lenient=True, tools=tools)
    if tools is not None:
        raise TypeError(
            "this parser has its own tools: leave out tools, or pass a dialect instead of it"
        )
    return parser
