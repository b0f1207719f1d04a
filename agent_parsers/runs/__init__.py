"""Reading whole runs, from the text of logs or the records of data sets, as steps."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_parsers.core import Detection, DialectCandidate
    from agent_parsers.runs.checking import ReaderReport, check_reader
    from agent_parsers.runs.detecting.detect import detect
    from agent_parsers.runs.read_log import read_runs
    from agent_parsers.runs.readers.known import list_readers, register_reader, unregister_reader
    from agent_parsers.runs.reading.transcript import Notice, RunSource, Transcript, TranscriptStep
    from agent_parsers.runs.reading.transcript_parser import (
        TranscriptParser,
        parse_record,
        parse_transcript,
        parse_transcripts,
    )
    from agent_parsers.runs.recognition import LogForm, detect_log
    from agent_parsers.runs.tables.console import Console, ConsolePiece
    from agent_parsers.runs.tables.messages import Messages
    from agent_parsers.runs.tables.part import MessagePart
    from agent_parsers.runs.writers.chats import to_atif, to_sharegpt
    from agent_parsers.runs.writers.known import get_writer, list_writers
    from agent_parsers.runs.writers.text import to_text

__all__ = [
    "Console",
    "ConsolePiece",
    "Detection",
    "DialectCandidate",
    "LogForm",
    "MessagePart",
    "Messages",
    "Notice",
    "ReaderReport",
    "RunSource",
    "Transcript",
    "TranscriptParser",
    "TranscriptStep",
    "check_reader",
    "detect",
    "detect_log",
    "get_writer",
    "list_readers",
    "list_writers",
    "parse_record",
    "parse_transcript",
    "parse_transcripts",
    "read_runs",
    "register_reader",
    "to_atif",
    "to_sharegpt",
    "to_text",
    "unregister_reader",
]

_MODULES = {
    "unregister_reader": "agent_parsers.runs.readers.known",
    "register_reader": "agent_parsers.runs.readers.known",
    "check_reader": "agent_parsers.runs.checking",
    "ReaderReport": "agent_parsers.runs.checking",
    "ConsolePiece": "agent_parsers.runs.tables.console",
    "MessagePart": "agent_parsers.runs.tables.part",
    "Messages": "agent_parsers.runs.tables.messages",
    "Console": "agent_parsers.runs.tables.console",
    "to_atif": "agent_parsers.runs.writers.chats",
    "get_writer": "agent_parsers.runs.writers.known",
    "list_writers": "agent_parsers.runs.writers.known",
    "to_sharegpt": "agent_parsers.runs.writers.chats",
    "to_text": "agent_parsers.runs.writers.text",
    "LogForm": "agent_parsers.runs.recognition",
    "detect_log": "agent_parsers.runs.recognition",
    "Detection": "agent_parsers.detecting.detection",
    "DialectCandidate": "agent_parsers.detecting.detection",
    "detect": "agent_parsers.runs.detecting.detect",
    "read_runs": "agent_parsers.runs.read_log",
    "list_readers": "agent_parsers.runs.readers.known",
    "Notice": "agent_parsers.runs.reading.transcript",
    "RunSource": "agent_parsers.runs.reading.transcript",
    "parse_record": "agent_parsers.runs.reading.transcript_parser",
    "Transcript": "agent_parsers.runs.reading.transcript",
    "TranscriptStep": "agent_parsers.runs.reading.transcript",
    "TranscriptParser": "agent_parsers.runs.reading.transcript_parser",
    "parse_transcript": "agent_parsers.runs.reading.transcript_parser",
    "parse_transcripts": "agent_parsers.runs.reading.transcript_parser",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
