"""Turn what a language model wrote into the next action or the final answer.

What every parser needs is imported at once, and the rest with the first use of its name: a program
pays for what it uses.
"""

from typing import TYPE_CHECKING

from agent_parsers._agent import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    AgentStep,
)
from agent_parsers._base import (
    AgentOutputParser,
    DialectParser,
    MultiActionAgentOutputParser,
    MultiActionDialectParser,
)
from agent_parsers._registry import (
    get_dialect,
    get_parser,
    list_dialects,
    register,
)
from output_parsers import (
    OutputParserException,
)
from outputs._late import late_names

if TYPE_CHECKING:
    from agent_parsers._answers import (
        AnswerStream,
        answer_stream,
    )
    from agent_parsers._explain import (
        ExplainedRepair,
        ExplainedSpan,
        Explanation,
        IgnoredMarker,
    )
    from agent_parsers._for_model import (
        dialect_for_model,
    )
    from agent_parsers._json_parsers import (
        ChatOutputParser,
        ConvoOutputParser,
        JSONAgentOutputParser,
        ReActJsonSingleInputOutputParser,
        StructuredChatOutputParser,
        StructuredChatOutputParserWithRetries,
    )
    from agent_parsers._parsers import (
        ReActOutputParser,
        ReActSingleInputOutputParser,
    )
    from agent_parsers._record import (
        parse_record,
    )
    from agent_parsers._scratchpad import (
        format_log_to_messages,
        format_log_to_str,
        format_xml,
    )
    from agent_parsers._text_parsers import (
        ConvoTextOutputParser,
        MRKLOutputParser,
        SelfAskOutputParser,
        XMLAgentOutputParser,
    )
    from agent_parsers._transcript import (
        Transcript,
        TranscriptStep,
    )
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
        localised,
        merge_events,
    )
    from agent_parsers.native import (
        MessageParser,
        MessageStreamParser,
        MessageTurn,
        OpenAIFunctionsAgentOutputParser,
        OpenAIToolAgentAction,
        OpenAIToolsAgentOutputParser,
        ToolAgentAction,
        ToolsAgentOutputParser,
        format_to_openai_function_messages,
        format_to_openai_functions,
        format_to_openai_tool_messages,
        format_to_tool_messages,
        parse_ai_message_to_openai_tool_action,
        parse_ai_message_to_tool_action,
    )
    from agent_parsers.tools import ToolInputError, ToolSet, ToolSpec, UnknownToolError

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
    "AnswerStream",
    "ChatOutputParser",
    "ConvoOutputParser",
    "ConvoTextOutputParser",
    "Dialect",
    "DialectParser",
    "Event",
    "ExplainedRepair",
    "ExplainedSpan",
    "Explanation",
    "Failed",
    "Finish",
    "IgnoredMarker",
    "InputDelta",
    "JSONAgentOutputParser",
    "MRKLOutputParser",
    "MarkerSeen",
    "MessageParser",
    "MessageStreamParser",
    "MessageTurn",
    "MultiActionAgentOutputParser",
    "MultiActionDialectParser",
    "ObservationDelta",
    "OpenAIFunctionsAgentOutputParser",
    "OpenAIToolAgentAction",
    "OpenAIToolsAgentOutputParser",
    "OutputParserException",
    "QuestionDelta",
    "ReActJsonSingleInputOutputParser",
    "ReActOutputParser",
    "ReActSingleInputOutputParser",
    "Repair",
    "SelfAskOutputParser",
    "SkippedDelta",
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
    "dialect_for_model",
    "format_log_to_messages",
    "format_log_to_str",
    "format_to_openai_function_messages",
    "format_to_openai_functions",
    "format_to_openai_tool_messages",
    "format_to_tool_messages",
    "format_xml",
    "get_dialect",
    "get_parser",
    "list_dialects",
    "localised",
    "merge_events",
    "parse_ai_message_to_openai_tool_action",
    "parse_ai_message_to_tool_action",
    "parse_record",
    "parse_transcript",
    "parse_transcripts",
    "register",
]

_MODULES = {
    "ExplainedRepair": "_explain",
    "ExplainedSpan": "_explain",
    "Explanation": "_explain",
    "IgnoredMarker": "_explain",
    "ChatOutputParser": "_json_parsers",
    "ConvoOutputParser": "_json_parsers",
    "JSONAgentOutputParser": "_json_parsers",
    "ReActJsonSingleInputOutputParser": "_json_parsers",
    "StructuredChatOutputParser": "_json_parsers",
    "StructuredChatOutputParserWithRetries": "_json_parsers",
    "ReActOutputParser": "_parsers",
    "ReActSingleInputOutputParser": "_parsers",
    "AnswerStream": "_answers",
    "answer_stream": "_answers",
    "dialect_for_model": "_for_model",
    "parse_record": "_record",
    "format_log_to_messages": "_scratchpad",
    "format_log_to_str": "_scratchpad",
    "format_xml": "_scratchpad",
    "ConvoTextOutputParser": "_text_parsers",
    "MRKLOutputParser": "_text_parsers",
    "SelfAskOutputParser": "_text_parsers",
    "XMLAgentOutputParser": "_text_parsers",
    "Transcript": "_transcript",
    "TranscriptStep": "_transcript",
    "TranscriptParser": "_transcript_parser",
    "parse_transcript": "_transcript_parser",
    "parse_transcripts": "_transcript_parser",
    "FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE": "dialects.react",
    "MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE": "dialects.react",
    "MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE": "dialects.react",
    "ActionComplete": "engine",
    "AnswerDelta": "engine",
    "Dialect": "engine",
    "Event": "engine",
    "Failed": "engine",
    "Finish": "engine",
    "InputDelta": "engine",
    "MarkerSeen": "engine",
    "ObservationDelta": "engine",
    "QuestionDelta": "engine",
    "Repair": "engine",
    "SkippedDelta": "engine",
    "StreamParser": "engine",
    "ThoughtDelta": "engine",
    "ToolNamed": "engine",
    "localised": "engine",
    "Turn": "engine",
    "merge_events": "engine",
    "MessageParser": "native",
    "MessageStreamParser": "native",
    "MessageTurn": "native",
    "OpenAIFunctionsAgentOutputParser": "native",
    "OpenAIToolAgentAction": "native",
    "OpenAIToolsAgentOutputParser": "native",
    "ToolAgentAction": "native",
    "ToolsAgentOutputParser": "native",
    "format_to_openai_function_messages": "native",
    "format_to_openai_functions": "native",
    "format_to_openai_tool_messages": "native",
    "format_to_tool_messages": "native",
    "parse_ai_message_to_openai_tool_action": "native",
    "parse_ai_message_to_tool_action": "native",
    "ToolInputError": "tools",
    "ToolSet": "tools",
    "ToolSpec": "tools",
    "UnknownToolError": "tools",
}
"""Where each name is that is imported at its first use."""

__getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
