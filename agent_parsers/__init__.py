"""Turn what a language model wrote into the next action or the final answer.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from agent_parsers import neighbours  # noqa: F401 - first, since it says what hides a package
from agent_parsers.foreign import asked  # noqa: F401 - second, so that the engine can ask
from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction as AgentAction
    from agent_parsers.actions.agent import AgentActionMessageLog as AgentActionMessageLog
    from agent_parsers.actions.agent import AgentFinish as AgentFinish
    from agent_parsers.actions.agent import AgentStep as AgentStep
    from agent_parsers.actions.tool_action import ToolAgentAction as ToolAgentAction
    from agent_parsers.engine.reading.turn import Turn as Turn
    from agent_parsers.engine.stream_parser import StreamParser as StreamParser
    from agent_parsers.engine.tables.dialect import Dialect as Dialect
    from agent_parsers.events import ActionComplete as ActionComplete
    from agent_parsers.events import AnswerDelta as AnswerDelta
    from agent_parsers.events import Event as Event
    from agent_parsers.events import Finish as Finish
    from agent_parsers.events import InputDelta as InputDelta
    from agent_parsers.events import Repair as Repair
    from agent_parsers.events import StepFailed as StepFailed
    from agent_parsers.events import ThoughtDelta as ThoughtDelta
    from agent_parsers.events import ToolNamed as ToolNamed
    from agent_parsers.events import merge_events as merge_events
    from agent_parsers.explain.explanation import Explanation as Explanation
    from agent_parsers.json import JSONAgentOutputParser as JSONAgentOutputParser
    from agent_parsers.loop import arun_agent as arun_agent
    from agent_parsers.loop import run_agent as run_agent
    from agent_parsers.messages.writing.to_anthropic import to_anthropic as to_anthropic
    from agent_parsers.messages.writing.to_langchain import to_langchain as to_langchain
    from agent_parsers.messages.writing.to_openai import to_openai as to_openai
    from agent_parsers.messages.writing.to_openai_responses import (
        to_openai_responses as to_openai_responses,
    )
    from agent_parsers.openai_functions import (
        OpenAIFunctionsAgentOutputParser as OpenAIFunctionsAgentOutputParser,
    )
    from agent_parsers.openai_tools import (
        OpenAIToolsAgentOutputParser as OpenAIToolsAgentOutputParser,
    )
    from agent_parsers.parsers.answers import AnswerStream as AnswerStream
    from agent_parsers.parsers.answers import answer_stream as answer_stream
    from agent_parsers.parsers.dialect_parser import DialectParser as DialectParser
    from agent_parsers.parsers.dialect_parser import (
        MultiActionDialectParser as MultiActionDialectParser,
    )
    from agent_parsers.parsers.event_parser import AgentOutputParser as AgentOutputParser
    from agent_parsers.parsers.event_parser import (
        MultiActionAgentOutputParser as MultiActionAgentOutputParser,
    )
    from agent_parsers.parsers.message_parser import MessageParser as MessageParser
    from agent_parsers.parsers.message_parser import MessageTurn as MessageTurn
    from agent_parsers.parsers.named_parsers import ChatOutputParser as ChatOutputParser
    from agent_parsers.parsers.named_parsers import ConvoOutputParser as ConvoOutputParser
    from agent_parsers.parsers.named_parsers import ConvoTextOutputParser as ConvoTextOutputParser
    from agent_parsers.parsers.named_parsers import MRKLOutputParser as MRKLOutputParser
    from agent_parsers.parsers.named_parsers import ReActOutputParser as ReActOutputParser
    from agent_parsers.parsers.named_parsers import (
        StructuredChatOutputParser as StructuredChatOutputParser,
    )
    from agent_parsers.parsers.named_parsers import (
        StructuredChatOutputParserWithRetries as StructuredChatOutputParserWithRetries,
    )
    from agent_parsers.react_json_single_input import (
        ReActJsonSingleInputOutputParser as ReActJsonSingleInputOutputParser,
    )
    from agent_parsers.react_single_input import (
        ReActSingleInputOutputParser as ReActSingleInputOutputParser,
    )
    from agent_parsers.registry.dialects_by_name import get_dialect as get_dialect
    from agent_parsers.registry.dialects_by_name import get_parser as get_parser
    from agent_parsers.registry.dialects_by_name import list_dialects as list_dialects
    from agent_parsers.registry.dialects_by_name import register as register
    from agent_parsers.registry.for_model import dialect_for_model as dialect_for_model
    from agent_parsers.self_ask import SelfAskOutputParser as SelfAskOutputParser
    from agent_parsers.tools import ToolsAgentOutputParser as ToolsAgentOutputParser
    from agent_parsers.toolset.problems.errors import ForeignCallError as ForeignCallError
    from agent_parsers.toolset.problems.errors import ToolInputError as ToolInputError
    from agent_parsers.toolset.problems.errors import UnknownToolError as UnknownToolError
    from agent_parsers.toolset.running import ToolException as ToolException
    from agent_parsers.toolset.schemas.spec import ToolSpec as ToolSpec
    from agent_parsers.toolset.set import ToolSet as ToolSet
    from agent_parsers.transcripts.transcript import Transcript as Transcript
    from agent_parsers.transcripts.transcript import TranscriptStep as TranscriptStep
    from agent_parsers.transcripts.transcript_parser import TranscriptParser as TranscriptParser
    from agent_parsers.transcripts.transcript_parser import parse_record as parse_record
    from agent_parsers.transcripts.transcript_parser import parse_transcript as parse_transcript
    from agent_parsers.transcripts.transcript_parser import parse_transcripts as parse_transcripts
    from agent_parsers.version import __version__ as __version__
    from agent_parsers.xml import XMLAgentOutputParser as XMLAgentOutputParser
    from output_parsers.exceptions import OutputParserException as OutputParserException

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
        "agent_parsers.parsers.answers": "AnswerStream answer_stream",
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
        "agent_parsers.toolset.running": "ToolException",
        "agent_parsers.toolset.schemas.spec": "ToolSpec",
        "agent_parsers.toolset.set": "ToolSet",
        "agent_parsers.version": "__version__",
        "agent_parsers.xml": "XMLAgentOutputParser",
        "output_parsers.exceptions": "OutputParserException",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(
        __name__, globals(), _MODULES, "output_parsers", "outputs"
    )
