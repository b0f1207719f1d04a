"""Turn what a language model wrote into the next action or the final answer.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from agent_parsers import neighbours  # noqa: F401 - first, since it says what hides a package
from agent_parsers.foreign import asked  # noqa: F401 - second, so that the engine can ask
from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.actions.agent import (
        AgentAction,
        AgentActionMessageLog,
        AgentFinish,
        AgentStep,
    )
    from agent_parsers.actions.tool_action import ToolAgentAction
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.stream_parser import StreamParser
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import (
        ActionComplete,
        AnswerDelta,
        Event,
        Finish,
        InputDelta,
        Repair,
        StepFailed,
        ThoughtDelta,
        ToolNamed,
        merge_events,
    )
    from agent_parsers.explain.explanation import Explanation
    from agent_parsers.json import JSONAgentOutputParser
    from agent_parsers.loop import arun_agent, run_agent
    from agent_parsers.messages.writing.to_anthropic import to_anthropic
    from agent_parsers.messages.writing.to_langchain import to_langchain
    from agent_parsers.messages.writing.to_openai import to_openai
    from agent_parsers.messages.writing.to_openai_responses import to_openai_responses
    from agent_parsers.openai_functions import OpenAIFunctionsAgentOutputParser
    from agent_parsers.openai_tools import OpenAIToolsAgentOutputParser
    from agent_parsers.parsers.answers import answer_stream
    from agent_parsers.parsers.dialect_parser import DialectParser, MultiActionDialectParser
    from agent_parsers.parsers.event_parser import AgentOutputParser, MultiActionAgentOutputParser
    from agent_parsers.parsers.message_parser import MessageParser, MessageTurn
    from agent_parsers.parsers.named_parsers import (
        ChatOutputParser,
        ConvoOutputParser,
        ConvoTextOutputParser,
        MRKLOutputParser,
        ReActOutputParser,
        StructuredChatOutputParser,
        StructuredChatOutputParserWithRetries,
    )
    from agent_parsers.react_json_single_input import ReActJsonSingleInputOutputParser
    from agent_parsers.react_single_input import ReActSingleInputOutputParser
    from agent_parsers.registry.dialects_by_name import (
        get_dialect,
        get_parser,
        list_dialects,
        register,
    )
    from agent_parsers.registry.for_model import dialect_for_model
    from agent_parsers.self_ask import SelfAskOutputParser
    from agent_parsers.tools import ToolsAgentOutputParser
    from agent_parsers.toolset.problems.errors import (
        ForeignCallError,
        ToolInputError,
        UnknownToolError,
    )
    from agent_parsers.toolset.schemas.spec import ToolSpec
    from agent_parsers.toolset.set import ToolSet
    from agent_parsers.transcripts.transcript import Transcript, TranscriptStep
    from agent_parsers.transcripts.transcript_parser import (
        TranscriptParser,
        parse_record,
        parse_transcript,
        parse_transcripts,
    )
    from agent_parsers.version import __version__ as __version__
    from agent_parsers.xml import XMLAgentOutputParser
    from output_parsers.exceptions import OutputParserException

__all__ = [
    "ActionComplete",
    "AgentAction",
    "AgentActionMessageLog",
    "AgentFinish",
    "AgentOutputParser",
    "AgentStep",
    "AnswerDelta",
    "ChatOutputParser",
    "ConvoOutputParser",
    "ConvoTextOutputParser",
    "Dialect",
    "DialectParser",
    "Event",
    "Explanation",
    "Finish",
    "ForeignCallError",
    "InputDelta",
    "JSONAgentOutputParser",
    "MRKLOutputParser",
    "MessageParser",
    "MessageTurn",
    "MultiActionAgentOutputParser",
    "MultiActionDialectParser",
    "OpenAIFunctionsAgentOutputParser",
    "OpenAIToolsAgentOutputParser",
    "OutputParserException",
    "ReActJsonSingleInputOutputParser",
    "ReActOutputParser",
    "ReActSingleInputOutputParser",
    "Repair",
    "SelfAskOutputParser",
    "StepFailed",
    "StreamParser",
    "StructuredChatOutputParser",
    "StructuredChatOutputParserWithRetries",
    "ThoughtDelta",
    "ToolAgentAction",
    "ToolInputError",
    "ToolNamed",
    "ToolSet",
    "ToolSpec",
    "ToolsAgentOutputParser",
    "Transcript",
    "TranscriptParser",
    "TranscriptStep",
    "Turn",
    "UnknownToolError",
    "XMLAgentOutputParser",
    "answer_stream",
    "arun_agent",
    "dialect_for_model",
    "get_dialect",
    "get_parser",
    "list_dialects",
    "merge_events",
    "parse_record",
    "parse_transcript",
    "parse_transcripts",
    "register",
    "run_agent",
    "to_anthropic",
    "to_langchain",
    "to_openai",
    "to_openai_responses",
]

_MODULES = modules_of(
    {
        "agent_parsers.actions.agent": "AgentAction AgentActionMessageLog AgentFinish AgentStep",
        "agent_parsers.actions.tool_action": "ToolAgentAction",
        "agent_parsers.engine.reading.turn": "Turn",
        "agent_parsers.engine.stream_parser": "StreamParser",
        "agent_parsers.engine.tables.dialect": "Dialect",
        "agent_parsers.events": (
            "ActionComplete AnswerDelta Event Finish InputDelta Repair StepFailed ThoughtDelta"
            " ToolNamed merge_events"
        ),
        "agent_parsers.explain.explanation": "Explanation",
        "agent_parsers.json": "JSONAgentOutputParser",
        "agent_parsers.loop": "arun_agent run_agent",
        "agent_parsers.messages.writing.to_anthropic": "to_anthropic",
        "agent_parsers.messages.writing.to_langchain": "to_langchain",
        "agent_parsers.messages.writing.to_openai": "to_openai",
        "agent_parsers.messages.writing.to_openai_responses": "to_openai_responses",
        "agent_parsers.openai_functions": "OpenAIFunctionsAgentOutputParser",
        "agent_parsers.openai_tools": "OpenAIToolsAgentOutputParser",
        "agent_parsers.parsers.answers": "answer_stream",
        "agent_parsers.parsers.dialect_parser": "DialectParser MultiActionDialectParser",
        "agent_parsers.parsers.event_parser": "AgentOutputParser MultiActionAgentOutputParser",
        "agent_parsers.parsers.message_parser": "MessageParser MessageTurn",
        "agent_parsers.parsers.named_parsers": (
            "ChatOutputParser ConvoOutputParser ConvoTextOutputParser MRKLOutputParser"
            " ReActOutputParser StructuredChatOutputParser StructuredChatOutputParserWithRetries"
        ),
        "agent_parsers.react_json_single_input": "ReActJsonSingleInputOutputParser",
        "agent_parsers.react_single_input": "ReActSingleInputOutputParser",
        "agent_parsers.registry.dialects_by_name": "get_dialect get_parser list_dialects register",
        "agent_parsers.registry.for_model": "dialect_for_model",
        "agent_parsers.transcripts.transcript": "Transcript TranscriptStep",
        "agent_parsers.transcripts.transcript_parser": (
            "TranscriptParser parse_record parse_transcript parse_transcripts"
        ),
        "agent_parsers.self_ask": "SelfAskOutputParser",
        "agent_parsers.tools": "ToolsAgentOutputParser",
        "agent_parsers.toolset.problems.errors": "ForeignCallError ToolInputError UnknownToolError",
        "agent_parsers.toolset.schemas.spec": "ToolSpec",
        "agent_parsers.toolset.set": "ToolSet",
        "agent_parsers.version": "__version__",
        "agent_parsers.xml": "XMLAgentOutputParser",
        "output_parsers.exceptions": "OutputParserException",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES, "output_parsers", "outputs")
