"""Text in a dialect: a question, then thoughts, actions, observations and the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.runs.readers.reader import Lines, Reading, TextReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.runs.transcript import Transcript


def _evidence(head: str) -> Sequence[str]:
    return ()


def _read(lines: Lines, reading: Reading) -> Iterator[Transcript]:
    yield from ()


READER: Final = TextReader(
    name="plain",
    summary="text in a dialect, such as a question and ReAct steps",
    evidence=_evidence,
    read=_read,
)
