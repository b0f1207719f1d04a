"""Tools: what they take, whether an input fits, and what a model is told about them."""

from agent_parsers.tools._errors import ToolInputError, UnknownToolError
from agent_parsers.tools._forms import Tools
from agent_parsers.tools._policy import CheckedInput
from agent_parsers.tools._problems import InputProblem
from agent_parsers.tools._set import ToolSet
from agent_parsers.tools._spec import ToolSpec

__all__ = [
    "CheckedInput",
    "InputProblem",
    "ToolInputError",
    "ToolSet",
    "ToolSpec",
    "Tools",
    "UnknownToolError",
]
