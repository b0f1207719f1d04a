"""Runs of an agent as steps: the model of a run, and the reading of one log in a dialect.

Logs of frameworks, records of data sets and files of many runs are read by `agent_runs`.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.transcripts.transcript import Conversation as Conversation
    from agent_parsers.transcripts.transcript import Notice as Notice
    from agent_parsers.transcripts.transcript import RunSource as RunSource
    from agent_parsers.transcripts.transcript import Transcript as Transcript
    from agent_parsers.transcripts.transcript import TranscriptStep as TranscriptStep
    from agent_parsers.transcripts.transcript import transcript_of as transcript_of
    from agent_parsers.transcripts.transcript_parser import TranscriptParser as TranscriptParser
    from agent_parsers.transcripts.transcript_parser import parse_record as parse_record
    from agent_parsers.transcripts.transcript_parser import parse_transcript as parse_transcript
    from agent_parsers.transcripts.transcript_parser import parse_transcripts as parse_transcripts

_MODULES = modules_of(
    {
        "agent_parsers.transcripts.transcript": (
            "Conversation Notice RunSource Transcript TranscriptStep transcript_of"
        ),
        "agent_parsers.transcripts.transcript_parser": (
            "TranscriptParser parse_record parse_transcript parse_transcripts"
        ),
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
