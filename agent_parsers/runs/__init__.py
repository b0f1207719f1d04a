"""Reading whole runs, from the text of logs or the records of data sets, as steps."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

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

_MODULES = modules_of(
    {
        "agent_parsers.detecting.detection": "Detection DialectCandidate",
        "agent_parsers.runs.checking": "ReaderReport check_reader",
        "agent_parsers.runs.detecting.detect": "detect",
        "agent_parsers.runs.read_log": "read_runs",
        "agent_parsers.runs.readers.known": "list_readers register_reader unregister_reader",
        "agent_parsers.runs.reading.transcript": "Notice RunSource Transcript TranscriptStep",
        "agent_parsers.runs.reading.transcript_parser": (
            "TranscriptParser parse_record parse_transcript parse_transcripts"
        ),
        "agent_parsers.runs.recognition": "LogForm detect_log",
        "agent_parsers.runs.tables.console": "Console ConsolePiece",
        "agent_parsers.runs.tables.messages": "Messages",
        "agent_parsers.runs.tables.part": "MessagePart",
        "agent_parsers.runs.writers.chats": "to_atif to_sharegpt",
        "agent_parsers.runs.writers.known": "get_writer list_writers",
        "agent_parsers.runs.writers.text": "to_text",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
