"""Reading whole runs, from the text of logs or the records of data sets, as steps."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_parsers.runs.record import parse_record
    from agent_parsers.runs.transcript import Transcript, TranscriptStep
    from agent_parsers.runs.transcript_parser import (
        TranscriptParser,
        parse_transcript,
        parse_transcripts,
    )

__all__ = [
    "Transcript",
    "TranscriptParser",
    "TranscriptStep",
    "parse_record",
    "parse_transcript",
    "parse_transcripts",
]

_MODULES = {
    "parse_record": "agent_parsers.runs.record",
    "Transcript": "agent_parsers.runs.transcript",
    "TranscriptStep": "agent_parsers.runs.transcript",
    "TranscriptParser": "agent_parsers.runs.transcript_parser",
    "parse_transcript": "agent_parsers.runs.transcript_parser",
    "parse_transcripts": "agent_parsers.runs.transcript_parser",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
