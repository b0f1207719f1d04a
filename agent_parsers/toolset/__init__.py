"""Tools: what they take, whether an input fits, and what a model is told about them."""

from agent_parsers.toolset.declaring.forms import Tools
from agent_parsers.toolset.errors import ToolInputError, UnknownToolError
from agent_parsers.toolset.policy import CheckedInput
from agent_parsers.toolset.problems import InputProblem
from agent_parsers.toolset.set import ToolSet
from agent_parsers.toolset.spec import ToolSpec

__all__ = [
    "CheckedInput",
    "InputProblem",
    "ToolInputError",
    "ToolSet",
    "ToolSpec",
    "Tools",
    "UnknownToolError",
]
