"""Turn what a language model wrote into the next action or the final answer."""

from agent_parsers._agent import AgentAction, AgentActionMessageLog, AgentFinish, AgentStep
from agent_parsers._base import AgentOutputParser, DialectParser, MultiActionAgentOutputParser
from agent_parsers._parsers import ReActOutputParser, ReActSingleInputOutputParser
from agent_parsers._record import parse_record
from agent_parsers._registry import get_dialect, get_parser, list_dialects, register
from agent_parsers._transcript import Transcript, TranscriptStep
from agent_parsers._transcript_parser import (
    TranscriptParser,
    parse_transcript,
    parse_transcripts,
)
from agent_parsers.dialects.react import (
    FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE,
    MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE,
    MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE,
)
from agent_parsers.engine import (
    ActionComplete,
    AnswerDelta,
    Dialect,
    Event,
    Failed,
    Finish,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    Repair,
    SkippedDelta,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
    Turn,
    merge_events,
)
from output_parsers import OutputParserException

__all__ = [
    "FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE",
    "MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE",
    "MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE",
    "ActionComplete",
    "AgentAction",
    "AgentActionMessageLog",
    "AgentFinish",
    "AgentOutputParser",
    "AgentStep",
    "AnswerDelta",
    "Dialect",
    "DialectParser",
    "Event",
    "Failed",
    "Finish",
    "InputDelta",
    "MarkerSeen",
    "MultiActionAgentOutputParser",
    "ObservationDelta",
    "OutputParserException",
    "QuestionDelta",
    "ReActOutputParser",
    "ReActSingleInputOutputParser",
    "Repair",
    "SkippedDelta",
    "StreamParser",
    "ThoughtDelta",
    "ToolNamed",
    "Transcript",
    "TranscriptParser",
    "TranscriptStep",
    "Turn",
    "get_dialect",
    "get_parser",
    "list_dialects",
    "merge_events",
    "parse_record",
    "parse_transcript",
    "parse_transcripts",
    "register",
]
