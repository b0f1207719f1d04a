"""Writing past steps for the next prompt, with functions named as in LangChain.

`DialectParser.format_scratchpad` does this for any dialect. Both escape what tools return: a line
that would be read as a label is prefixed with a backslash.
"""

from agent_parsers.format_scratchpad.log import format_log_to_str
from agent_parsers.format_scratchpad.log_to_messages import format_log_to_messages
from agent_parsers.format_scratchpad.openai_functions import (
    format_to_openai_function_messages,
    format_to_openai_functions,
)
from agent_parsers.format_scratchpad.openai_tools import format_to_openai_tool_messages
from agent_parsers.format_scratchpad.tools import format_to_tool_messages
from agent_parsers.format_scratchpad.xml import format_xml

__all__ = [
    "format_log_to_messages",
    "format_log_to_str",
    "format_to_openai_function_messages",
    "format_to_openai_functions",
    "format_to_openai_tool_messages",
    "format_to_tool_messages",
    "format_xml",
]
